/** The frame around all screens. */
import { useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "./i18n/i18n";
import Analyse from "./screens/Analyse";
import Play from "./screens/Play";
import { dialog } from "./store/dialogs";
import { type Screen, screen } from "./store/route";
import { Announcer } from "./ui/Announcer";
import { Header } from "./ui/Header";
import { ImportDialog } from "./ui/ImportDialog";
import { KeysDialog } from "./ui/KeysDialog";
import { listenToKeys } from "./ui/keys";
import { Later } from "./ui/Later";
import { NewGame } from "./ui/NewGame";
import { Notices, ServerBanner } from "./ui/Notices";
import { SettingsDrawer } from "./ui/SettingsDrawer";
import { ShareDialog } from "./ui/ShareDialog";

/** Screens that are not needed at first come when they are. */
const review = () => import("./screens/Review");
const tree = () => import("./screens/Tree");
const training = () => import("./screens/Training");

function ScreenOf({ name }: { name: Screen }) {
  switch (name) {
    case "play":
      return <Play />;
    case "analyse":
      return <Analyse />;
    case "review":
      return <Later key={name} load={review} />;
    case "tree":
      return <Later key={name} load={tree} />;
    case "training":
      return <Later key={name} load={training} />;
  }
}

export function App() {
  useEffect(listenToKeys, []);
  useSignalEffect(() => {
    document.title = `${t(`nav.${screen.value}`)} · Tengen 天元`;
  });
  return (
    <>
      <button type="button" class="skip button" onClick={skipToMain}>
        {t("skip")}
      </button>
      <Header />
      <ServerBanner />
      <main id="main" tabIndex={-1} data-screen={screen.value}>
        <ScreenOf name={screen.value} />
      </main>
      <Dialogs />
      {dialog.value === null && <Notices />}
      <Announcer />
    </>
  );
}

function skipToMain(): void {
  document.getElementById("main")?.focus();
}

function Dialogs() {
  switch (dialog.value) {
    case "new":
      return <NewGame />;
    case "settings":
      return <SettingsDrawer />;
    case "keys":
      return <KeysDialog />;
    case "import":
      return <ImportDialog />;
    case "share":
      return <ShareDialog />;
    default:
      return null;
  }
}
