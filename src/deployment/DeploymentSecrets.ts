/** The secrets of this deployment, and where they are from. */
import { Effect, Option, type Redacted } from "effect"
import { secretOfCommand } from "../commands/SecretCommand.ts"
import type { Settings } from "../settings/Settings.ts"
import { secretFile, secretsOfFiles } from "../store/SecretFile.ts"
import type { DeploymentSecrets } from "../store/Vault.ts"

/** Whether the secret is in a file of the data folder, because no setting says it. */
export const isInFile = ({ secret, secretCommand }: Settings): boolean => Option.isNone(secret) && Option.isNone(secretCommand)

/** The origin of the secret, for messages. */
export const secretOrigin = (settings: Settings): string =>
  isInFile(settings)
    ? `The content of ${secretFile(settings.dataDir)}`
    : Option.isSome(settings.secret)
    ? "BELLTOWER_SECRET"
    : "The output of BELLTOWER_SECRET_COMMAND"

/** Given, printed by a command, or in a file. */
export const secretsOf = Effect.fn("DeploymentSecrets.of")(function*(settings: Settings) {
  const { dataDir, databaseUrl, secret, secretCommand, secretPrevious } = settings
  const previous = Option.getOrNull(secretPrevious)
  const given: Redacted.Redacted | null = Option.isSome(secret)
    ? secret.value
    : Option.isSome(secretCommand)
    ? yield* secretOfCommand(secretCommand.value)
    : null
  if (given !== null) return { present: given, previous } satisfies DeploymentSecrets
  const inFiles = yield* secretsOfFiles(dataDir, Option.isSome(databaseUrl) ? "external" : "embedded")
  return { present: inFiles.present, previous: previous ?? inFiles.previous } satisfies DeploymentSecrets
})
