/** Every fault there is to hunt: twins, and where the sources are at hand the production code with a fault planted in it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { OpenTarget, Target } from "../target.ts";
import { twins } from "../twins/all.ts";
import { reported } from "../twins/reported/all.ts";
import { shortest } from "../twins/shortest.ts";
import { targetNamed } from "./named.ts";
import { type Planted, plant, root } from "./planted.ts";
import { type NamedPlant, plants } from "./plants.ts";
import { morePlants } from "./plants-more.ts";
import { unseenPlants } from "./plants-unseen.ts";
import { wrapped } from "./wrapped.ts";

export interface Subject {
  readonly name: string;
  readonly is: "twin" | "planted";
  readonly does: string;
  readonly shortest: number | null;
  readonly open: OpenTarget;
}

const known = (name: string): number | null => (Object.hasOwn(shortest, name) ? (shortest[name] ?? null) : null);

export function twinSubjects(): readonly Subject[] {
  return [...Object.entries(twins), ...Object.entries(reported), ...Object.entries(wrapped)].map(
    ([name, { does }]) => ({
      ...{ name, is: "twin", does, shortest: known(name) },
      open: async () => await (await targetNamed(`twin:${name}`))(),
    }),
  );
}

/** Whether `src` is there as it was written: an installed package has only what was built of it. */
export const hasSources = (): boolean => existsSync(join(root, "src", "index.ts"));

interface PlantedModule {
  readonly productionTarget: (name: string, places: object) => Target;
}
interface TightModule {
  readonly tightTarget: (name: string) => Target;
}
interface PlacesModule {
  readonly memoryPlaces: () => object;
}

export interface PlantedSubjects {
  readonly subjects: readonly Subject[];
  readonly remove: () => Promise<void>;
}

/** The checker is this one; only the target and the registry behind it come from the copy. */
export async function plantedSubjects(names: (name: string) => boolean): Promise<PlantedSubjects> {
  const chosen = [...plants, ...morePlants, ...unseenPlants].filter(({ name }) => names(name));
  if (chosen.length === 0) return { subjects: [], remove: async () => {} };
  const modules = ["production", "places", "tight"].map((name) => `properties/targets/${name}.ts`);
  const copies = await plant(chosen, ["model", "properties", "regressions"], modules);
  return { subjects: chosen.map((each) => subjectOf(copies, each)), remove: copies.remove };
}

function subjectOf(copies: Planted, { name, does, on }: NamedPlant): Subject {
  const load = async (module: string): Promise<unknown> => await import(copies.url(name, module));
  return {
    ...{ name, is: "planted", does, shortest: known(`src:${name}`) },
    open: async () => {
      if (on === "tight")
        return ((await load("properties/targets/tight.ts")) as TightModule).tightTarget(`planted:${name}`); // likewise
      const target = (await load("properties/targets/production.ts")) as PlantedModule; // a copy of our own module
      const places = (await load("properties/targets/places.ts")) as PlacesModule; // likewise
      return target.productionTarget(`planted:${name}`, places.memoryPlaces());
    },
  };
}
