/** Enrolment of probes: a token works as often and as long as the operator said, and nobody else learns anything. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Either, Layer, Option } from "effect"
import { randomBytes } from "node:crypto"
import { RegionId } from "../../schema/check/Region.ts"
import { ProbeId, ProbeTokenId } from "../../schema/Ids.ts"
import { enrolmentRequest, openAnswer, openNews, type ProbeToken, tokenSecret } from "../../src/domain/probe/Enrolment.ts"
import { linkToServers, publicKeyOf } from "../../src/domain/probe/ProbeLink.ts"
import { regionKeyOf } from "../../src/domain/probe/RegionKeys.ts"
import { EnrolProbe } from "../../src/operations/probe/EnrolProbe.ts"
import { ProbeRegistry } from "../../src/services/probe/ProbeRegistry.ts"
import { RateLimits } from "../../src/store/access/RateLimits.ts"
import { InstallationKeys, probeKeyName } from "../../src/store/InstallationKeys.ts"
import { mint } from "../../src/store/Mint.ts"
import { Wakeups } from "../../src/store/postgres/Wakeups.ts"
import { Probes } from "../../src/store/probe/Probes.ts"
import { TestDatabase } from "../support/database/TestDatabase.ts"
import { makeBeat } from "../support/probe/Beats.ts"
import { testKeys } from "../support/program/TestInstallation.ts"
import { until } from "../support/time/Until.ts"

const eu = RegionId.make("eu")

const installationKey = Effect.flatMap(InstallationKeys, ({ key }) => key(probeKeyName))

const newToken = (uses = 1, days = 1, region = eu) =>
  Effect.gen(function*() {
    const installation = yield* installationKey
    const id = yield* mint("prt", ProbeTokenId)
    yield* Effect.flatMap(Probes, (probes) => probes.createToken(id, region, uses, days))
    const token: ProbeToken = { id, secret: tokenSecret(installation, id), installation: publicKeyOf(installation) }
    return token
  })

/** The answer to a probe with this key, or why it is refused. */
const enrol = (token: ProbeToken, privateKey: Uint8Array, ip: string = randomBytes(4).join(".")) =>
  Effect.flatMap(
    EnrolProbe,
    (probes) => probes.enrol(JSON.stringify(enrolmentRequest(token, publicKeyOf(privateKey), "1.2.3")), ip)
  ).pipe(
    Effect.map(({ sealed }) => JSON.parse(openAnswer(linkToServers(privateKey, token.installation)!, sealed) ?? "null")),
    Effect.mapError(({ message }) => message),
    Effect.either
  )

const Ground = Layer.mergeAll(EnrolProbe.Default, ProbeRegistry.Default, Probes.Default, InstallationKeys.Default).pipe(
  Layer.provideMerge(Layer.mergeAll(RateLimits.Default, Wakeups.Default)),
  Layer.provideMerge(testKeys),
  Layer.provideMerge(TestDatabase)
)

layer(Ground, { excludeTestServices: true })((it) => {
  it.effect("a token works once, and again only for the probe that did not hear the answer", () =>
    Effect.gen(function*() {
      const token = yield* newToken()
      const [first, second] = [randomBytes(32), randomBytes(32)]
      const answer = yield* enrol(token, first)
      expect(answer).toMatchObject(Either.right({ probeId: expect.stringMatching(/^prb_/), region: "eu" }))
      expect(yield* enrol(token, first)).toEqual(answer)
      expect(yield* enrol(token, second)).toEqual(Either.left("The token of the probe was used already"))
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`select id from probes where token_id = ${token.id}`).toHaveLength(1)
    }))

  it.effect("a token works as often as the operator said, also for probes that ask together", () =>
    Effect.gen(function*() {
      const token = yield* newToken(3)
      const answers = yield* Effect.forEach(
        Array.from({ length: 8 }, () => randomBytes(32)),
        (key) => enrol(token, key),
        { concurrency: "unbounded" }
      )
      expect(answers.filter(Either.isRight)).toHaveLength(3)
    }))

  it.effect("an expired token is no good, also when its row is gone", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const token = yield* newToken()
      yield* sql`update probe_tokens set expires_at = now() where id = ${token.id}`
      const expired = Either.left("The token of the probe has expired")
      expect(yield* enrol(token, randomBytes(32))).toEqual(expired)
      yield* sql`update probe_tokens set expires_at = now() - interval '2 days' where id = ${token.id}`
      yield* Effect.flatMap(Probes, ({ sweep }) => sweep)
      expect(yield* sql`select from probe_tokens where id = ${token.id}`).toEqual([])
      expect(yield* enrol(token, randomBytes(32))).toEqual(expired)
    }))

  it.effect("a stranger learns nothing: not whether a token exists, nor anything of the answer of another", () =>
    Effect.gen(function*() {
      const token = yield* newToken(2)
      const none = Either.left("The token of the probe is not one of this installation")
      expect(yield* enrol({ ...token, secret: randomBytes(32) }, randomBytes(32))).toEqual(none)
      expect(yield* enrol({ ...token, id: ProbeTokenId.make("prt_0"), secret: randomBytes(32) }, randomBytes(32))).toEqual(none)
      // Whoever heard the request can repeat it, and gets what only the probe can open.
      const probe = randomBytes(32)
      const request = JSON.stringify(enrolmentRequest(token, publicKeyOf(probe), "1.2.3"))
      yield* enrol(token, probe)
      const { sealed } = yield* Effect.flatMap(EnrolProbe, (probes) => probes.enrol(request, "192.0.2.7"))
      const eavesdropper = linkToServers(randomBytes(32), token.installation)!
      expect(openAnswer(eavesdropper, sealed)).toBeNull()
      // And a public key of the small order gives nobody a key that others know.
      const weak = JSON.stringify({ ...JSON.parse(request), publicKey: Buffer.alloc(32).toString("base64url") })
      const refusal = yield* Effect.flip(Effect.flatMap(EnrolProbe, (probes) => probes.enrol(weak, "192.0.2.7")))
      expect(refusal.message).toContain("not one of this installation")
    }))

  it.effect("20 refusals of an address in 15 minutes are enough, whatever it sends", () =>
    Effect.gen(function*() {
      const probes = yield* EnrolProbe
      const ask = (body: string) => Effect.map(Effect.flip(probes.enrol(body, "192.0.2.99")), ({ _tag }) => _tag)
      const bodies = ["", "{}", "[".repeat(4000), JSON.stringify({ token: "x".repeat(2000) }), "null"]
      const tags = yield* Effect.forEach(Array.from({ length: 22 }, (_, n) => bodies[n % bodies.length] ?? ""), ask)
      expect(new Set(tags.slice(0, 20))).toEqual(new Set(["bad_request"]))
      expect(tags.slice(20)).toEqual(["rate_limited", "rate_limited"])
      const token = yield* newToken()
      expect(yield* enrol(token, randomBytes(32), "192.0.2.99")).toMatchObject(Either.left(expect.stringContaining("At most 20")))
      expect(Either.isRight(yield* enrol(token, randomBytes(32)))).toBe(true)
    }))

  it.effect("a revoked probe is known as revoked, its region has another key, and its key pair cannot enrol again", () =>
    Effect.gen(function*() {
      const region = RegionId.make("ap")
      const probes = yield* Probes
      const { servers } = yield* ProbeRegistry
      const [revoked, other] = [randomBytes(32), randomBytes(32)]
      const token = yield* newToken(5, 1, region)
      const { probeId } = Either.getOrThrow(yield* enrol(token, revoked))
      const { probeId: otherId } = Either.getOrThrow(yield* enrol(token, other))
      const senderOf = (id: string) => Effect.sync(() => servers.sender(id))
      yield* until(senderOf(probeId), (sender) => sender?.isRevoked === false && sender.region === region)
      const installation = yield* installationKey
      expect(servers.regionKey(region)).toEqual(regionKeyOf(installation, region, 1))

      expect(yield* probes.revoke(ProbeId.make(probeId))).toEqual(Option.some({ region }))
      expect(yield* probes.revoke(ProbeId.make(probeId))).toEqual(Option.none())
      const began = Date.now()
      yield* until(senderOf(probeId), (sender) => sender?.isRevoked === true, "10 seconds")
      expect(Date.now() - began).toBeLessThan(5_000)
      yield* until(Effect.sync(() => servers.regionKey(region).epoch), (epoch) => epoch === 2)
      expect(yield* probes.epochs.all).toContainEqual({ region, epoch: 2, published: 1 })
      expect(yield* enrol(token, revoked)).toEqual(Either.left("This probe was revoked"))

      const now = Date.now()
      for (const id of [probeId, otherId]) {
        const sender = servers.sender(id)
        if (sender !== undefined) servers.heard(sender, makeBeat({ region, at: now }), now)
      }
      const news = yield* servers.news
      const said = (id: string, key: Uint8Array) =>
        openNews(linkToServers(key, token.installation)!, news.get(ProbeId.make(id)) ?? "")
      expect(said(probeId, revoked)).toBe("{\"revoked\":true}")
      expect(JSON.parse(said(otherId, other) ?? "")).toEqual({ keys: [expect.objectContaining({ epoch: 2 })] })
      // One cannot read what is said to the other.
      expect(said(otherId, revoked)).toBeNull()
    }))

  it.effect("identities that nobody has used for 30 days end, and their regions get another key", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const region = RegionId.make("sa")
      const probes = yield* Probes
      const token = yield* newToken(2, 1, region)
      const { probeId: gone } = Either.getOrThrow(yield* enrol(token, randomBytes(32)))
      const { probeId: kept } = Either.getOrThrow(yield* enrol(token, randomBytes(32)))
      // An installation that was off for a month, or is restored from an old backup, has seen none of them.
      yield* sql`update probes set last_seen_at = now() - interval '31 days'`
      expect(yield* probes.sweep).toBe(0)
      yield* sql`update probes set last_seen_at = now() where id <> ${gone}`
      yield* sql`update probes set last_seen_at = now() - interval '29 days' where id = ${kept}`
      yield* probes.seen(new Map([[ProbeId.make(kept), "1.2.4"]]))
      expect(yield* probes.sweep).toBe(1)
      const left = (yield* probes.all).filter((one) => one.region === region)
      expect(left.map(({ id, version }) => ({ id, version }))).toEqual([{ id: kept, version: "1.2.4" }])
      expect(yield* probes.epochs.all).toContainEqual({ region, epoch: 2, published: 1 })
    }))

  it.effect("made-up ids cost one read a second", () =>
    Effect.gen(function*() {
      const { servers } = yield* ProbeRegistry
      expect(servers.sender("prb_made_up")).toBeUndefined()
      const sql = yield* SqlClient.SqlClient
      const reads = Effect.map(
        sql<{ readonly count: number }>`
          select coalesce(sum(seq_scan + coalesce(idx_scan, 0)), 0)::float8 as count from pg_stat_all_tables where relname = 'probes'`,
        ([row]) => row?.count ?? 0
      )
      yield* sql`select pg_stat_force_next_flush()`
      const before = yield* reads
      yield* Effect.repeatN(servers.learn, 5_000)
      yield* sql`select pg_stat_force_next_flush()`
      expect((yield* reads) - before).toBeLessThan(50)
    }))
})
