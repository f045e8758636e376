/** The identity of a probe: kept in its data folder from its enrolment on. */
import { FetchHttpClient, HttpClient, HttpClientRequest } from "@effect/platform"
import { type Cause, Data, Effect, Either, Option, Predicate, Redacted, Schedule, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { RegionId } from "../../schema/check/Region.ts"
import { Enrolled, EnrolmentAnswer } from "../../schema/probe/Enrolment.ts"
import { ProbeIdentity } from "../../schema/probe/ProbeIdentity.ts"
import { programVersion } from "../../schema/ProgramVersion.ts"
import { enrolmentRequest, openAnswer, type ProbeToken, readToken } from "../domain/probe/Enrolment.ts"
import { linkToServers, publicKeyOf } from "../domain/probe/ProbeLink.ts"
import { makeOutage } from "../loops/Outage.ts"
import { makeOwnKeys, ProbeRefused } from "../probe/OwnKeys.ts"
import { baseUrlOf } from "../settings/BaseUrlOf.ts"
import type { Settings } from "../settings/Settings.ts"
import { createPrivateFile, replacePrivateFile } from "../store/PrivateFile.ts"

/** The servers cannot be asked now; the same request may work later. */
class ServersAway extends Data.TaggedError("ServersAway")<{ readonly message: string }> {}

/** The settings that a probe enrols with. */
type ProbeSettings = Pick<Settings, "baseUrl" | "dataDir" | "port" | "probeRegion" | "probeToken">

export const identityFile = ({ dataDir }: Pick<Settings, "dataDir">): string => join(dataDir, "probe.json")

export const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url")

const IdentityJson = Schema.parseJson(ProbeIdentity)
const readIdentity = Schema.decodeUnknownEither(IdentityJson)
const writeIdentity = Schema.encodeSync(IdentityJson)

const codeOf = ({ error }: Cause.UnknownException): unknown => Predicate.hasProperty(error, "code") ? error.code : undefined

const unusable = (path: string) => ({ error }: Cause.UnknownException) =>
  new ProbeRefused({
    message: `Cannot read or write ${path}: ${error instanceof Error ? error.message : String(error)}. ` +
      "BELLTOWER_DATA_DIR must be a writable folder."
  })

/** The identity in the file; none if there is no such file. */
export const kept = Effect.fn("ProbeIdentity.kept")(function*(path: string) {
  const text = yield* Effect.either(Effect.tryPromise(() => readFile(path, "utf8")))
  if (Either.isLeft(text)) {
    return codeOf(text.left) === "ENOENT" ? Option.none<ProbeIdentity>() : yield* unusable(path)(text.left)
  }
  const damaged = () => new ProbeRefused({ message: `${path} is damaged. Delete it, and give the probe a new token` })
  return Option.some(yield* Either.mapLeft(readIdentity(text.right), damaged))
})

/** Another process with the same folder may have been quicker; then both have its identity. */
const keepFirst = Effect.fn("ProbeIdentity.keepFirst")(function*(path: string, identity: ProbeIdentity) {
  const create = Effect.tryPromise(() => createPrivateFile(path, writeIdentity(identity)))
  const created = yield* Effect.either(create)
  if (Either.isRight(created)) return identity
  if (codeOf(created.left) !== "EEXIST") return yield* unusable(path)(created.left)
  return Option.getOrElse(yield* kept(path), () => identity)
})

/** A probe that cannot keep its keys asks for them again at its next start. */
export const save = (path: string) => (identity: ProbeIdentity) =>
  Effect.tryPromise(() => replacePrivateFile(path, writeIdentity(identity))).pipe(
    Effect.catchAll((cause) => Effect.logWarning(unusable(path)(cause).message))
  )

const Refused = Schema.Struct({ error: Schema.Struct({ message: Schema.String, hint: Schema.optional(Schema.String) }) })
const decodeAnswer = Schema.decodeUnknownEither(Schema.parseJson(EnrolmentAnswer))
const decodeRefused = Schema.decodeUnknownOption(Schema.parseJson(Refused))
const decodeEnrolled = Schema.decodeUnknownEither(Schema.parseJson(Enrolled))

const reasonOf = (text: string): string =>
  Option.match(decodeRefused(text), {
    onNone: () => "The servers refused the probe",
    onSome: ({ error: { hint, message } }) =>
      (hint === undefined ? message : `${message}. ${hint}`).slice(0, 300).replace(/\p{Cc}/gu, " ")
  })

/** One attempt. Neither the token's secret nor the private key leaves this process. */
const ask = (url: string, token: ProbeToken, privateKey: Uint8Array) =>
  Effect.gen(function*() {
    const client = yield* HttpClient.HttpClient
    const request = HttpClientRequest.post(url).pipe(
      HttpClientRequest.bodyText(
        JSON.stringify(enrolmentRequest(token, publicKeyOf(privateKey), programVersion)),
        "application/json"
      )
    )
    const away = () => new ServersAway({ message: `${url} does not answer` })
    const { status, text } = yield* client.execute(request).pipe(
      Effect.flatMap((response) => Effect.map(response.text, (found) => ({ status: response.status, text: found }))),
      Effect.timeout("10 seconds"),
      Effect.mapError(away)
    )
    if (status === 429 || status >= 500) return yield* new ServersAway({ message: `${url} answered with status ${status}` })
    if (status !== 200) return yield* new ProbeRefused({ message: `${reasonOf(text)} (${url})` })
    const link = linkToServers(privateKey, token.installation)
    const enrolled = Either.flatMap(decodeAnswer(text), ({ sealed }) =>
      decodeEnrolled(link === null ? null : openAnswer(link, sealed)))
    return yield* Either.mapLeft(enrolled, () =>
      new ProbeRefused({ message: `${url} answered something else than the servers that made the token would` }))
  }).pipe(Effect.provide(FetchHttpClient.layer))

const pace = Schedule.exponential("500 millis").pipe(Schedule.union(Schedule.spaced("10 seconds")), Schedule.jittered)

/** Waits for the servers; fails if they do not take the token. */
const enrol = Effect.fn("ProbeIdentity.enrol")(function*(settings: ProbeSettings, token: ProbeToken) {
  const privateKey = randomBytes(32)
  const outage = makeOutage("Enrolling this probe")
  const { keys, probeId, region } = yield* ask(`${baseUrlOf(settings)}/probes/enrol`, token, privateKey).pipe(
    Effect.tapErrorTag("ServersAway", ({ message }) => outage.failed(message)),
    Effect.retry({ schedule: pace, while: ({ _tag }) => _tag === "ServersAway" }),
    Effect.catchTag("ServersAway", ({ message }) => new ProbeRefused({ message }))
  )
  yield* Effect.logInfo(`Enrolled as ${probeId} of the region ${region}`)
  return {
    probeId,
    region,
    privateKey: textOf(privateKey),
    installation: textOf(token.installation),
    keys,
    revoked: false
  } satisfies ProbeIdentity
})

const tokenOf = (settings: ProbeSettings) =>
  Option.match(settings.probeToken, {
    onNone: () => Effect.succeedNone,
    onSome: (text) =>
      Effect.asSome(Either.fromNullable(readToken(Redacted.value(text)), () =>
        new ProbeRefused({ message: "BELLTOWER_PROBE_TOKEN is not what belltower probe-token has printed" })))
  })

const needed = new ProbeRefused({
  message: "This probe is not enrolled yet. Set BELLTOWER_PROBE_TOKEN to the output of belltower probe-token <region>, and " +
    "BELLTOWER_URL to the address of the api."
})

const otherInstallation = (path: string) =>
  new ProbeRefused({
    message: `BELLTOWER_PROBE_TOKEN is of another installation than ${path}. Remove one of them.`
  })

const otherRegion = (path: string, given: RegionId, region: RegionId) =>
  new ProbeRefused({
    message:
      `BELLTOWER_REGION is ${given}, but this probe was enrolled for the region ${region} (${path}). Remove the setting; ` +
      "for another region, delete the file and give the probe a token of that region."
  })

/** A probe's identity by its settings alone: its identity, the token that it would enrol with, or neither. */
export const foreseenIdentity = Effect.fn("ProbeIdentity.foreseen")(function*(settings: ProbeSettings) {
  const identity = yield* kept(identityFile(settings))
  const token = yield* tokenOf(settings)
  return { identity, hasToken: Option.isSome(token), needed: needed.message }
})

/** The keys of a process that only runs checks: of its identity file, or of an enrolment by its token. */
export const probeIdentity = Effect.fn("ProbeIdentity.ofProbe")(function*(settings: ProbeSettings) {
  const path = identityFile(settings)
  const before = yield* kept(path)
  const token = yield* tokenOf(settings)
  if (Option.isSome(before) && Option.isSome(token) && before.value.installation !== textOf(token.value.installation)) {
    return yield* otherInstallation(path)
  }
  const identity = Option.isSome(before)
    ? before.value
    : Option.isSome(token)
    ? yield* Effect.flatMap(enrol(settings, token.value), (fresh) => keepFirst(path, fresh))
    : yield* needed
  const { probeRegion } = settings
  if (Option.isSome(probeRegion) && probeRegion.value !== identity.region) {
    return yield* otherRegion(path, probeRegion.value, identity.region)
  }
  return yield* makeOwnKeys(identity, path, save(path))
})
