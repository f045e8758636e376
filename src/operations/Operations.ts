/** All use cases, over the store and the cluster: what every surface calls. */
import { Layer } from "effect"
import { RunCheck } from "./check/RunCheck.ts"
import { TakePush } from "./component/TakePush.ts"
import { ManageMonitors } from "./monitor/ManageMonitors.ts"

export const layer = Layer.mergeAll(ManageMonitors.Default, RunCheck.Default, TakePush.Default)
