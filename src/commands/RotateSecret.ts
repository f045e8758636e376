/** The command that seals everything with a new secret, after which the previous one may go. */
import { Effect, Option } from "effect"
import { join } from "node:path"
import { isInFile } from "../deployment/DeploymentSecrets.ts"
import { say } from "../deployment/Output.ts"
import { counted } from "../domain/tools/text/Counted.ts"
import { BadSetting } from "../settings/BadSetting.ts"
import type { Settings } from "../settings/Settings.ts"
import { servedByAnother } from "../store/postgres/embedded/EmbeddedPostgres.ts"
import { forgetPrevious, replaceSecret, secretFile } from "../store/SecretFile.ts"
import { rotateSecret, type Rotation } from "../store/SecretRotation.ts"
import { withDatabase, withVault, withVaultOn } from "./OnDatabase.ts"

/** Of the values that cannot be opened, those that are named. */
const mostNamed = 20

const unreadableText = ({ unreadable }: Rotation): string => {
  const more = unreadable.length > mostNamed ? `, and ${unreadable.length - mostNamed} more` : ""
  return unreadable.length === 0
    ? ""
    : `\nSealed with neither secret, so still unreadable (${counted(unreadable.length, "value")}): ${
      unreadable.slice(0, mostNamed).join(", ")
    }${more}`
}

const settingsNeeded = new BadSetting({
  message:
    "Set BELLTOWER_SECRET to the new secret (openssl rand -hex 32) and BELLTOWER_SECRET_PREVIOUS to the present one, here and in " +
    "all processes. Then run this again."
})

/** The secret of a data folder: the command makes the new one, while no server runs that would not know it. */
const rotateFile = Effect.fn("RotateSecret.file")(function*(settings: Settings) {
  if (Option.isSome(settings.databaseUrl)) return yield* settingsNeeded
  if (Option.isSome(yield* servedByAnother(join(settings.dataDir, "postgres")))) {
    return yield* new BadSetting({
      message:
        `Stop the server first: it does not know the secret that this command writes to ${secretFile(settings.dataDir)}. To ` +
        "rotate while it runs, start it with BELLTOWER_SECRET and BELLTOWER_SECRET_PREVIOUS, and run this with the same."
    })
  }
  const done = yield* withDatabase(settings, (database) =>
    Effect.gen(function*() {
      // The present secret must be the right one, before another takes its place.
      yield* withVaultOn(settings, database, Effect.void)
      yield* replaceSecret(settings.dataDir)
      return yield* withVaultOn(settings, database, rotateSecret)
    }))
  yield* forgetPrevious(settings.dataDir)
  return [
    done,
    `Sealed ${counted(done.resealed, "value")} with a new secret, which is in ${secretFile(settings.dataDir)}.`
  ] as const
})

/** A secret that the settings say. All processes must have it before, with the previous one. */
const rotateGiven = Effect.fn("RotateSecret.given")(function*(settings: Settings) {
  if (Option.isNone(settings.secretPrevious)) return yield* settingsNeeded
  const done = yield* withVault(settings, rotateSecret)
  const text =
    `Sealed ${counted(done.resealed, "value")} with the new secret. Nothing is left that the previous one has sealed: remove ` +
    "BELLTOWER_SECRET_PREVIOUS and restart the processes."
  return [done, text] as const
})

const rotate = Effect.fn("RotateSecret.rotate")(function*(settings: Settings) {
  const hasFile = isInFile(settings) && Option.isNone(settings.secretPrevious)
  const [done, text] = hasFile ? yield* rotateFile(settings) : yield* rotateGiven(settings)
  yield* say(settings.logFormat, `${text}${unreadableText(done)}`)
})

export const secretCommands = { "rotate-secret": rotate }
