/** All use cases, over the store and the cluster: what every surface calls. */
import { Layer } from "effect"
import * as AccountOperations from "./AccountOperations.ts"
import { RunCheck } from "./check/RunCheck.ts"
import { TakePush } from "./component/TakePush.ts"
import { ManageMonitors } from "./monitor/ManageMonitors.ts"
import { ReadHome } from "./workspace/ReadHome.ts"

export const layer = Layer.mergeAll(
  ManageMonitors.Default,
  ReadHome.Default,
  RunCheck.Default,
  TakePush.Default
).pipe(Layer.provideMerge(AccountOperations.layer))
