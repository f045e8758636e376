/** The probes that this process knows: whose messages it believes, and what it seals for them. */
import { Clock, Effect, Schedule, Schema, Stream } from "effect"
import { randomBytes } from "node:crypto"
import type { Beat } from "../../../schema/check/Bus.ts"
import type { RegionId } from "../../../schema/check/Region.ts"
import type { ProbeId } from "../../../schema/Ids.ts"
import { ProbeNews } from "../../../schema/probe/Enrolment.ts"
import type { Sender, ServerKeys } from "../../bus/BusKeys.ts"
import { sealNews } from "../../domain/probe/Enrolment.ts"
import { linkToProbe, type ProbeLink } from "../../domain/probe/ProbeLink.ts"
import { epochKeyOf, firstEpoch, type RegionKey, regionKeyOf } from "../../domain/probe/RegionKeys.ts"
import { nonceLength } from "../../domain/tools/SealedBytes.ts"
import { repeatForever, restartForever } from "../../loops/RestartForever.ts"
import { retryForever } from "../../loops/RetryForever.ts"
import { InstallationKeys, probeKeyName } from "../../store/InstallationKeys.ts"
import { Wakeups } from "../../store/postgres/Wakeups.ts"
import { type ProbeRow, Probes, probesSignal } from "../../store/probe/Probes.ts"

/** How often the identities are read without a signal. */
const readEvery = "20 seconds"
/** The pause between reads for ids that are not known, ms. */
const learnEveryMs = 1_000
/** News goes to the probes that were heard within this, ms. */
const liveMs = 60_000

const encodeNews = Schema.encodeSync(Schema.parseJson(ProbeNews))

/** A probe with the keys that it shares with the servers. */
interface Identity {
  readonly link: ProbeLink
  readonly sender: Sender
}

/** Agreeing on keys costs as much as a check, so it waits for the probe's first message. Undefined if its public key is no good. */
const makeIdentity = (installation: Uint8Array, { id, isRevoked, publicKey, region }: ProbeRow): () => Identity | undefined => {
  let identity: Identity | undefined
  let isMade = false
  return () => {
    if (isMade) return identity
    isMade = true
    const link = linkToProbe(installation, publicKey)
    identity = link === null ? undefined : { link, sender: { id, region, isRevoked, signing: link.signing } }
    return identity
  }
}

/** The row of a probe, and its identity. */
interface Known {
  readonly row: ProbeRow
  readonly identity: () => Identity | undefined
}

/** The identities as they were read last, and the epochs of their regions. */
const makeReading = (installation: Uint8Array) => {
  let known: ReadonlyMap<string, Known> = new Map()
  const keys = new Map<RegionId, RegionKey>()
  const regionKey = (region: RegionId): RegionKey => {
    const found = keys.get(region) ?? regionKeyOf(installation, region, firstEpoch)
    keys.set(region, found)
    return found
  }
  return {
    /** An identity whose row is as before keeps its keys. */
    read: (rows: ReadonlyArray<ProbeRow>, epochs: ReadonlyArray<{ readonly region: RegionId; readonly epoch: number }>): void => {
      known = new Map(rows.map((row) => {
        const before = known.get(row.id)
        const isSame = before !== undefined && before.row.isRevoked === row.isRevoked
        return [row.id, isSame ? before : { row, identity: makeIdentity(installation, row) }]
      }))
      for (const { epoch, region } of epochs) {
        if (keys.get(region)?.epoch !== epoch) keys.set(region, regionKeyOf(installation, region, epoch))
      }
    },
    identity: (id: string): Identity | undefined => known.get(id)?.identity(),
    regionKey,
    regionKeys: (): ReadonlyArray<RegionKey> => [...new Set(Array.from(known.values(), ({ row }) => row.region))].map(regionKey)
  }
}
type Reading = ReturnType<typeof makeReading>

/** The probes whose beats were heard lately, at most as many as there are identities. */
const makeLive = ({ identity, regionKey }: Reading) => {
  const heard = new Map<ProbeId, number>()
  let unrecorded = new Map<ProbeId, string>()
  return {
    heard: ({ id, isRevoked }: Sender, { at, version = "unknown" }: Beat, now: number): void => {
      heard.set(id, now)
      if (!isRevoked && Math.abs(now - at) < liveMs) unrecorded.set(id, version)
    },
    /** The versions of the probes that were heard since the last call. */
    takeUnrecorded: (): ReadonlyMap<ProbeId, string> => {
      const taken = unrecorded
      unrecorded = new Map()
      return taken
    },
    news: Effect.map(Clock.currentTimeMillis, (now): ReadonlyMap<ProbeId, string> => {
      const news = new Map<ProbeId, string>()
      for (const [id, at] of heard) {
        const found = identity(id)
        if (Math.abs(now - at) > liveMs || found === undefined) {
          heard.delete(id)
          continue
        }
        const { link, sender } = found
        const said: ProbeNews = sender.isRevoked ? { revoked: true } : { keys: [epochKeyOf(regionKey(sender.region))] }
        news.set(id, sealNews(link, randomBytes(nonceLength), encodeNews(said)))
      }
      return news
    })
  }
}

export class ProbeRegistry extends Effect.Service<ProbeRegistry>()("belltower/ProbeRegistry", {
  scoped: Effect.gen(function*() {
    const probes = yield* Probes
    const wakeups = yield* Wakeups
    const reading = makeReading(yield* Effect.flatMap(InstallationKeys, ({ key }) => key(probeKeyName)))
    const live = makeLive(reading)

    // One at a time, so that an earlier reading never replaces a later one.
    const turns = yield* Effect.makeSemaphore(1)
    const read = Effect.zipWith(probes.all, probes.epochs.all, reading.read).pipe(turns.withPermits(1))
    yield* read
    const changes = Stream.merge(wakeups.listen(probesSignal), Stream.fromSchedule(Schedule.spaced(readEvery))).pipe(
      Stream.buffer({ capacity: 1, strategy: "sliding" }),
      Stream.runForEach(() => retryForever("Reading the identities of probes", read))
    )
    yield* Effect.forkScoped(Effect.interruptible(restartForever("Following the identities of probes", changes)))
    const record = Effect.suspend(() => {
      const versions = live.takeUnrecorded()
      // Retried here: a turn that finds nothing new would say that it works again.
      return versions.size === 0 ? Effect.void : retryForever("Recording which probes were heard", probes.seen(versions))
    })
    yield* Effect.forkScoped(Effect.interruptible(repeatForever("Recording which probes were heard", readEvery, record)))

    let learntAt = Number.NEGATIVE_INFINITY
    const learn = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (Math.abs(now - learntAt) < learnEveryMs) return Effect.void
      learntAt = now
      return retryForever("Reading the identities of probes", read)
    })

    const servers: ServerKeys = {
      sender: (id) => reading.identity(id)?.sender,
      learn,
      regionKey: reading.regionKey,
      regionKeys: reading.regionKeys,
      refresh: read,
      heard: live.heard,
      news: live.news
    }
    return { servers }
  }),
  dependencies: [Probes.Default, InstallationKeys.Default]
}) {}
