/** A modal dialog, or a drawer at the side. The browser keeps the focus inside and closes it on Escape. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../i18n/i18n";
import { closeDialog } from "../store/dialogs";
import { Button } from "./controls";
import { Notices } from "./Notices";

interface Props {
  title: string;
  drawer?: boolean;
  children: ComponentChildren;
  testid?: string;
}

export function Dialog({ title, drawer, children, testid }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current?.showModal();
  }, []);
  const outside = (event: MouseEvent) => event.target === element.current && closeDialog();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={element}
      class={drawer ? "drawer" : undefined}
      aria-labelledby="dialog-title"
      onClose={closeDialog}
      onClick={outside}
      data-testid={testid}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id="dialog-title" tabIndex={-1} autofocus>
            {title}
          </h2>
          <Button bare icon="close" label={t("close")} onClick={closeDialog} />
        </header>
        {children}
      </div>
      {/* Here too: what lies outside of an open dialog can be neither seen clearly nor pressed. */}
      <Notices />
    </dialog>
  );
}
