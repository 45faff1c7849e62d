/** Another name for a run, its tags, and its end. */
import { useSignal } from "@preact/signals";
import { t } from "../i18n/i18n";
import { go } from "../store/route";
import * as store from "../store/training";
import { Button } from "./controls";

export function ManageRun({ run }: { run: store.RunSummary }) {
  const name = useSignal(run.name);
  const tags = useSignal(run.tags.join(", "));
  const confirm = useSignal("");
  const busy = useSignal(false);
  const training = run.state === "training";
  const doing = async (work: () => Promise<void>) => {
    busy.value = true;
    await work();
    busy.value = false;
  };
  const rename = async () => {
    const wanted = name.value.trim();
    if (await store.manage(run.name, "rename", { name: wanted })) go("training", wanted);
  };
  const tag = async () => {
    const words = tags.value.split(/[,，]/).map((word) => word.trim());
    await store.manage(run.name, "tags", { tags: words.filter(Boolean) });
  };
  const remove = async () => {
    if (await store.manage(run.name, "delete", { confirm: confirm.value })) go("training");
  };
  return (
    <details class="card manage" data-testid="manage">
      <summary>{t("manage")}</summary>
      <form class="row" onSubmit={(event) => event.preventDefault()}>
        <Text label={t("train.name")} text={name} testid="manage-name" />
        <Button
          label={t("manage.rename")}
          disabled={busy.value || training || name.value.trim() === run.name}
          onClick={() => void doing(rename)}
          testid="manage-rename"
        />
        <Text label={t("manage.tags")} text={tags} testid="manage-tags" />
        <Button label={t("manage.tag")} disabled={busy.value} onClick={() => void doing(tag)} testid="manage-tag" />
        <Text label={t("manage.confirm", { name: run.name })} text={confirm} testid="manage-confirm" />
        <Button
          icon="trash"
          label={t("manage.delete")}
          disabled={busy.value || training || confirm.value !== run.name}
          onClick={() => void doing(remove)}
          testid="manage-delete"
        />
      </form>
      {training && <p class="small muted">{t("manage.training")}</p>}
    </details>
  );
}

const Text = (props: { label: string; text: { value: string }; testid: string }) => (
  <label class="field">
    <span>{props.label}</span>
    <input
      type="text"
      autocomplete="off"
      value={props.text.value}
      onInput={(event) => {
        props.text.value = event.currentTarget.value;
      }}
      data-testid={props.testid}
    />
  </label>
);

export const Tags = ({ tags }: { tags: readonly string[] }) =>
  tags.length > 0 && (
    <span class="tags">
      {tags.map((tag) => (
        <span key={tag} class="tag">
          {tag}
        </span>
      ))}
    </span>
  );
