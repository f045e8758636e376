/** The keys of a running probe: those that it shares with the servers, and those of its region, which follow the servers' news. */
import { Data, Deferred, Effect, Either, Schema } from "effect"
import { type EpochKey, ProbeNews } from "../../schema/probe/Enrolment.ts"
import type { ProbeIdentity } from "../../schema/probe/ProbeIdentity.ts"
import type { ProbeKeys } from "../bus/BusKeys.ts"
import { openNews } from "../domain/probe/Enrolment.ts"
import { linkToServers } from "../domain/probe/ProbeLink.ts"
import { epochKeyOf, readEpochKey, type RegionKey, withKey } from "../domain/probe/RegionKeys.ts"

/** The probe may not go on. `message` is for the operator. */
export class ProbeRefused extends Data.TaggedError("ProbeRefused")<{ readonly message: string }> {}

/** Some 90 s: the servers send every probe that they hear something every 10 s. */
const unheard = 9

const readNews = Schema.decodeUnknownEither(Schema.parseJson(ProbeNews))

/** The keys of a region that follow one another, and the wait for the next one. */
const makeRegionKeys = Effect.fn("OwnKeys.makeRegionKeys")(function*({ keys, region }: ProbeIdentity) {
  let all: ReadonlyArray<RegionKey> = keys.map((key) => readEpochKey(region, key))
  let next = yield* Deferred.make<void>()
  return {
    all: () => all,
    next: Effect.suspend(() => Deferred.await(next)),
    /** Takes keys that are newer than all before; false if none is. */
    take: Effect.fnUntraced(function*(received: ReadonlyArray<EpochKey>) {
      const newest = all[0]?.epoch ?? 0
      const fresh = received.filter(({ epoch }) => epoch > newest)
      if (fresh.length === 0) return false
      all = fresh.reduce((known, key) => withKey(known, readEpochKey(region, key)), all)
      const before = next
      next = yield* Deferred.make<void>()
      yield* Deferred.succeed(before, undefined)
      return true
    })
  }
})

/** `save` keeps the identity, with its newest keys; `where` names the place for the operator. */
export const makeOwnKeys = Effect.fn("OwnKeys.make")(
  function*(first: ProbeIdentity, where: string, save: (identity: ProbeIdentity) => Effect.Effect<void>) {
    const revoked = new ProbeRefused({
      message: `The probe ${first.probeId} was revoked. To enrol it again, delete ${where} and give it a new token ` +
        "(belltower probe-token <region>)"
    })
    if (first.revoked) return yield* revoked
    const link = linkToServers(Buffer.from(first.privateKey, "base64url"), Buffer.from(first.installation, "base64url"))
    if (link === null) {
      return yield* new ProbeRefused({ message: `${where} is damaged. Delete it, and give the probe a new token` })
    }
    const { probeId: id, region } = first
    const ended = yield* Deferred.make<never, ProbeRefused>()
    let identity = first
    const regionKeys = yield* makeRegionKeys(first)
    let missed = 0

    const keep = (changed: Partial<ProbeIdentity>) =>
      Effect.suspend(() => {
        identity = { ...identity, ...changed }
        return save(identity)
      })

    const takeKeys = Effect.fnUntraced(function*(keys: ReadonlyArray<EpochKey>) {
      if (!(yield* regionKeys.take(keys))) return
      yield* keep({ keys: regionKeys.all().map(epochKeyOf) })
      yield* Effect.logInfo(`The region ${region} has another key`)
    })

    /** News that others sealed, or changed on their way, say nothing. */
    const hear = (news: string | null) =>
      Effect.gen(function*() {
        const text = news === null ? null : openNews(link, news)
        missed = text === null ? missed + 1 : 0
        if (missed === unheard) {
          yield* Effect.logWarning(
            `The servers send keys to other probes, but not to ${id}: if its results are refused, delete ${where} and give it a ` +
              "new token (belltower probe-token <region>)"
          )
        }
        const said = Either.getOrNull(readNews(text))
        if (said === null) return
        if ("keys" in said) return yield* takeKeys(said.keys)
        yield* keep({ revoked: true })
        yield* Deferred.fail(ended, revoked)
      })

    const keys: ProbeKeys = {
      id,
      region,
      signing: link.signing,
      regionKeys: regionKeys.all,
      nextKey: regionKeys.next,
      hear
    }
    return {
      keys,
      /** Fails once the servers say that the probe was revoked. */
      ended: Deferred.await(ended)
    }
  }
)
