/** The operator's commands about probes: tokens to enrol them with, their list, and the end of an identity. */
import { Clock, Console, DateTime, Effect, Either, Layer, Option } from "effect"
import { ProbeId, ProbeTokenId } from "../../schema/Ids.ts"
import { say } from "../deployment/Output.ts"
import { tokenSecret, tokenText } from "../domain/probe/Enrolment.ts"
import { publicKeyOf } from "../domain/probe/ProbeLink.ts"
import { probeLines } from "../domain/probe/ProbeList.ts"
import { readTokenWish } from "../domain/probe/TokenWish.ts"
import { usageOf } from "../domain/program/CommandHelp.ts"
import { BadSetting } from "../settings/BadSetting.ts"
import type { Settings } from "../settings/Settings.ts"
import { InstallationKeys, probeKeyName } from "../store/InstallationKeys.ts"
import { mint } from "../store/Mint.ts"
import { verify } from "../store/postgres/Migrations.ts"
import { Probes } from "../store/probe/Probes.ts"
import { withServersDatabase, withVault } from "./OnDatabase.ts"

/** The token is the only line on stdout, so scripts can read it. */
const printToken = Effect.fn("ProbeCommands.printToken")(function*(settings: Settings, words: ReadonlyArray<string>) {
  const { days, region, uses } = yield* Either.mapLeft(readTokenWish(words), (message) => new BadSetting({ message }))
  const create = Effect.gen(function*() {
    const probes = yield* Probes
    const installation = yield* Effect.flatMap(InstallationKeys, ({ key }) => key(probeKeyName))
    const id = yield* mint("prt", ProbeTokenId)
    yield* probes.createToken(id, region, uses, days)
    return tokenText({ id, secret: tokenSecret(installation, id), installation: publicKeyOf(installation) })
  })
  yield* Effect.flatMap(
    withVault(settings, Effect.provide(create, [Probes.Default, InstallationKeys.Default])),
    (token) => Console.log(token)
  )
})

const printProbes = (settings: Settings) =>
  Effect.gen(function*() {
    const all = yield* withServersDatabase(settings, (database) =>
      verify.pipe(
        Effect.zipRight(Effect.flatMap(Probes, (probes) => probes.all)),
        Effect.provide(Probes.Default.pipe(Layer.provideMerge(database)))
      ))
    const now = yield* Clock.currentTimeMillis
    const lines = probeLines(
      all.map(({ lastSeenAt, ...probe }) => ({ ...probe, lastSeenAt: DateTime.toEpochMillis(lastSeenAt) })),
      now
    )
    yield* Effect.forEach(lines, (line) => Console.log(line), { discard: true })
  })

const revokeProbe = Effect.fn("ProbeCommands.revoke")(function*(settings: Settings, [id, ...rest]: ReadonlyArray<string>) {
  if (id === undefined || rest.length > 0) return yield* new BadSetting({ message: usageOf("revoke-probe") })
  const ended = yield* withServersDatabase(settings, (database) =>
    verify.pipe(
      Effect.zipRight(Effect.flatMap(Probes, (probes) => probes.revoke(ProbeId.make(id)))),
      Effect.provide(Probes.Default.pipe(Layer.provideMerge(database)))
    ))
  if (Option.isNone(ended)) {
    return yield* new BadSetting({ message: `There is no probe ${id}, or it was revoked. "belltower probes" lists all` })
  }
  yield* say(settings.logFormat, `Revoked the probe ${id}; the region ${ended.value.region} gets another key within seconds`)
})

export const probeCommands = {
  "probe-token": printToken,
  probes: printProbes,
  "revoke-probe": revokeProbe
}
