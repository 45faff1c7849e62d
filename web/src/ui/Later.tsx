/** A screen whose code is fetched when it is first shown. */
import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { complain } from "../store/notices";

type Load = () => Promise<{ default: ComponentType }>;

const loaded = new Map<Load, ComponentType>();

export function Later({ load }: { load: Load }) {
  const ready = useSignal(loaded.has(load));
  useEffect(() => {
    load()
      .then((module) => {
        loaded.set(load, module.default);
        ready.value = true;
      })
      .catch(complain);
  }, [load]);
  const Screen = ready.value ? loaded.get(load) : undefined;
  return Screen ? <Screen /> : <div class="loading" />;
}
