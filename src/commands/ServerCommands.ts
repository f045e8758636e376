/** The commands that run a process with a database: everything, an api or a runner. */
import { Effect } from "effect"
import { runOn } from "../deployment/Deployment.ts"
import { secretsOf } from "../deployment/DeploymentSecrets.ts"
import { say } from "../deployment/Output.ts"
import { type Deployment, readyAt } from "../deployment/ProbeDeployment.ts"
import { baseUrlOf } from "../settings/BaseUrlOf.ts"
import type { Role, Settings } from "../settings/Settings.ts"
import { banner } from "./Banner.ts"
import { withDatabase } from "./OnDatabase.ts"

type ServerRole = Exclude<Role, "probe">

const announce = (role: ServerRole, baseUrl: string, { logFormat }: Settings): Deployment["ready"] =>
  role === "runner"
    ? readyAt(role)
    // A link that signs people in belongs in no log.
    : (_, news) => say(logFormat, banner(baseUrl, news), [`Belltower is ready at ${baseUrl}`])

const run = Effect.fn("ServerCommands.run")(function*(role: ServerRole, settings: Settings) {
  const baseUrl = baseUrlOf(settings)
  const secrets = yield* secretsOf(settings)
  const deployment = { settings, role, baseUrl, ready: announce(role, baseUrl, settings), secrets }
  return yield* withDatabase(settings, (database) => runOn(deployment, database))
})

export const serverCommands = {
  all: (settings: Settings) => run("all", settings),
  api: (settings: Settings) => run("api", settings),
  runner: (settings: Settings) => run("runner", settings)
}
