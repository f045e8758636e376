/** The keys of a running probe: those that it shares with the servers, and those of its region, which follow the servers' news. */
import { Data, Deferred, Effect, Either, Schema } from "effect"
import { ProbeNews } from "../../schema/probe/Enrolment.ts"
import type { ProbeIdentity } from "../../schema/probe/ProbeIdentity.ts"
import type { ProbeKeys } from "../bus/BusKeys.ts"
import { openNews } from "../domain/probe/Enrolment.ts"
import { linkToServers } from "../domain/probe/ProbeLink.ts"
import { epochKeyOf, readEpochKey, type RegionKey, withKey } from "../domain/probe/RegionKeys.ts"

/** The probe may not go on. `message` is for the operator. */
export class ProbeRefused extends Data.TaggedError("ProbeRefused")<{ readonly message: string }> {}

/** Some 90 s: the servers tell every probe that they hear something every 10 s. */
const unheard = 9

const readNews = Schema.decodeUnknownEither(Schema.parseJson(ProbeNews))

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
    let regionKeys: ReadonlyArray<RegionKey> = first.keys.map((key) => readEpochKey(region, key))
    let next = yield* Deferred.make<void>()
    let missed = 0

    const keep = (changed: Partial<ProbeIdentity>) =>
      Effect.suspend(() => {
        identity = { ...identity, ...changed }
        return save(identity)
      })

    const takeKeys = Effect.fnUntraced(function*(keys: Extract<ProbeNews, { readonly keys: unknown }>["keys"]) {
      const newest = regionKeys[0]?.epoch ?? 0
      const fresh = keys.filter(({ epoch }) => epoch > newest)
      if (fresh.length === 0) return
      regionKeys = fresh.reduce((known, key) => withKey(known, readEpochKey(region, key)), regionKeys)
      const before = next
      next = yield* Deferred.make<void>()
      yield* Deferred.succeed(before, undefined)
      yield* keep({ keys: regionKeys.map(epochKeyOf) })
      yield* Effect.logInfo(`The region ${region} has another key`)
    })

    /** What others sealed, or changed on its way, says nothing. */
    const hear = (news: string | null) =>
      Effect.gen(function*() {
        const text = news === null ? null : openNews(link, news)
        missed = text === null ? missed + 1 : 0
        if (missed === unheard) {
          yield* Effect.logWarning(
            `The servers tell other probes their keys, but not ${id}: if its results are refused, delete ${where} and give it a ` +
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
      regionKeys: () => regionKeys,
      nextKey: Effect.suspend(() => Deferred.await(next)),
      hear
    }
    return {
      keys,
      /** Fails once the servers say that the probe was revoked. */
      ended: Deferred.await(ended)
    }
  }
)
