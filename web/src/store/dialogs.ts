/** Which dialog is open. */
import { signal } from "@preact/signals";

export type DialogName = "new" | "settings" | "keys" | "import" | "share";

export const dialog = signal<DialogName | null>(null);

export const openDialog = (name: DialogName): void => {
  dialog.value = name;
};

export const closeDialog = (): void => {
  dialog.value = null;
};
