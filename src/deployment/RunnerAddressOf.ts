/** Where other processes reach the runner of a process, by its settings. */
import { Effect, Option } from "effect"
import type { Role, Settings } from "../settings/Settings.ts"
import type { RunnerEndpoint } from "../store/postgres/RunnerAddressClaim.ts"
import { machineAddress } from "./MachineAddress.ts"

interface Member {
  readonly role: Role
  readonly settings: Settings
}

/** The address at which other processes reach the runner. */
export const runnerAddressOf = ({ role, settings }: Member): Effect.Effect<RunnerEndpoint> =>
  Effect.map(
    Option.match(settings.runnerHost, {
      onSome: Effect.succeed,
      onNone: () => role === "runner" ? machineAddress : Effect.succeed("127.0.0.1")
    }),
    (host) => ({ host, port: settings.runnerPort })
  )
