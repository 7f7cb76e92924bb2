/** The one door from the command line to what judges: so that listing an archive, or importing the registry, loads no checker. */
export {
  check,
  explain,
  explore,
  exportStory,
  faults,
  gate,
  history,
  importCaptures,
  orders,
  promote,
  replay,
  reproduce,
  schema,
  serve,
  shrink,
  torture,
} from "../../properties/index.ts";
