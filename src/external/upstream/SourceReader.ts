/** Reads the published status of a third party with conditional requests, and asks its API whether it answers. */
import { Data, DateTime, Effect } from "effect"
import type { CatalogueEntry } from "../../../schema/upstream/Catalogue.ts"
import type { Probe } from "../../domain/upstream/JudgeUpstream.ts"
import { joinParts, type Reading, type SourcePart } from "../../domain/upstream/Reading.ts"
import { documentsOf, type SourceDocument } from "../../domain/upstream/Sources.ts"
import { decodedBody } from "../../egress/BodyDecoder.ts"
import { EgressGuard } from "../../egress/EgressGuard.ts"
import { followRedirects, requestBounded } from "../BoundedRequest.ts"

/** A source cannot be read. The message repeats nothing of its answer. */
export class UnreadableSource extends Data.TaggedError("UnreadableSource")<{ readonly message: string }> {}

/** Bytes of one document. Lists of past incidents are the largest. */
const largestDocument = 8 * 1024 * 1024

const timeoutMs = 20_000

/** The contents of a document, and the validators with which the source answers 304 while it is unchanged. */
interface Kept {
  readonly validators: Readonly<Record<string, string>>
  readonly part: SourcePart
}

const identity = { "user-agent": "Belltower-Upstream/1.0" }

/** Only ASCII goes back as it came. */
const isReturnable = (value: unknown): value is string => typeof value === "string" && /^[\x20-\x7e]+$/.test(value)

const validatorsOf = ({ etag, "last-modified": changed }: Readonly<Record<string, unknown>>): Kept["validators"] => ({
  ...(isReturnable(etag) ? { "if-none-match": etag } : {}),
  ...(isReturnable(changed) ? { "if-modified-since": changed } : {})
})

const unreadable = (url: URL, why: string) => new UnreadableSource({ message: `${url.host} cannot be read: ${why}` })

export class SourceReader extends Effect.Service<SourceReader>()("belltower/SourceReader", {
  effect: Effect.gen(function*() {
    const guard = yield* EgressGuard
    /** Entries by the address of a document; as many as services are tracked. */
    const kept = new Map<string, Kept>()

    const request = (url: URL, headers: Readonly<Record<string, string>>, limit: number) =>
      requestBounded(guard, { url, headers: { ...identity, ...headers }, timeoutMs, limit })

    const ask = Effect.fnUntraced(function*(from: URL, headers: Readonly<Record<string, string>>) {
      const once = Effect.fnUntraced(function*(url: URL) {
        const seen = yield* request(url, headers, largestDocument)
        const { failure, response } = seen
        if (failure !== null) return yield* unreadable(from, failure.message)
        if (response === null) return yield* unreadable(from, "no answer")
        return { seen, headers: response.headers, status: response.statusCode }
      })
      return (yield* followRedirects(from, once)) ?? (yield* unreadable(from, "it redirects without end"))
    })

    const readDocument = Effect.fnUntraced(function*({ read, url }: SourceDocument, now: DateTime.Utc) {
      const before = kept.get(url.href)
      const { headers, seen, status } = yield* ask(url, { "accept-encoding": "gzip", ...before?.validators })
      if (status === 304 && before !== undefined) return before.part
      if (status < 200 || status > 299) return yield* unreadable(url, `status ${status}`)
      if (!seen.bodyComplete) return yield* unreadable(url, "its answer is longer than 8 MiB")
      const part = read((yield* decodedBody(seen, largestDocument)).text, now)
      if (part === null) return yield* unreadable(url, "the answer is not in the format of this kind of source")
      kept.set(url.href, { validators: validatorsOf(headers), part })
      return part
    })

    return {
      /** Reads all documents of a service. Fails if one of them cannot be read: half a status could look like a good one. */
      read: Effect.fn("SourceReader.read")(function*({ source }: CatalogueEntry): Effect.fn.Return<Reading, UnreadableSource> {
        const now = yield* DateTime.now
        const parts = yield* Effect.forEach(documentsOf(source), (document) => readDocument(document, now), { concurrency: 2 })
        return joinParts(parts)
      }),
      /**
       * One request without credentials. Any answer counts as up, 401 and 503 too: it shows that the edge is reached, and says nothing of
       * calls that have credentials. (Specification: Upstream status pages, 2.)
       */
      probe: Effect.fn("SourceReader.probe")(function*({ probe }: CatalogueEntry): Effect.fn.Return<Probe> {
        if (probe === undefined || probe === null) return { state: "unknown", statusCode: null }
        const { failure, response } = yield* request(new URL(probe.url), {}, 0)
        const statusCode = response?.statusCode ?? null
        return { state: statusCode !== null ? "up" : failure === null ? "unknown" : "down", statusCode }
      })
    }
  })
}) {}
