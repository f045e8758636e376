/** A rendered document, stored compressed, with its ETag (RFC 9110, section 8.8.3). */
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { gunzip, gzip, gzipSync } from "node:zlib"
import { runSteps, type Steps } from "../domain/tools/Steps.ts"

export interface WebDocument {
  readonly contentType: string
  /** Weak: it ignores the time at which the data was read. */
  readonly etag: string
  readonly gzip: Uint8Array
  /** Null for anything but HTML. */
  readonly contentSecurityPolicy: string | null
  /** HTTP date of the data; null if the document contains no data. */
  readonly lastModified: string | null
}

export interface DocumentDraft extends Omit<WebDocument, "gzip"> {
  readonly body: Buffer
}

/** `volatile`: texts that change at every read, such as the time of the read. The ETag ignores them. */
interface DocumentOptions
  extends Pick<WebDocument, "contentType">, Partial<Pick<WebDocument, "contentSecurityPolicy" | "lastModified">>
{
  readonly volatile?: ReadonlyArray<string>
}

/** Characters that are encoded and hashed in one step. */
const lengthPerStep = 128 * 1024

/** Makes a document of its parts in order. A volatile text must not be spread over two parts. */
export function* draftDocument(
  parts: Iterable<string>,
  { contentSecurityPolicy = null, contentType, lastModified = null, volatile = [] }: DocumentOptions
): Steps<DocumentDraft> {
  const hash = createHash("sha256")
  const body: Array<Buffer> = []
  let length = 0
  for (const part of parts) {
    hash.update(volatile.reduce((all, text) => all.replaceAll(text, ""), part))
    body.push(Buffer.from(part, "utf8"))
    length += part.length
    if (length < lengthPerStep) continue
    length = 0
    yield
  }
  const etag = `W/"${hash.digest("base64url").slice(0, 27)}"`
  return { contentType, contentSecurityPolicy, lastModified, etag, body: Buffer.concat(body) }
}

export const makeDocument = (text: string, options: DocumentOptions): WebDocument => {
  const { body, ...headers } = runSteps(draftDocument([text], options))
  return { ...headers, gzip: gzipSync(body) }
}

/** Compresses a document of any size on another thread. */
export const compressed = ({ body, ...headers }: DocumentDraft): Effect.Effect<WebDocument> =>
  Effect.async((resume) =>
    // A copy: what zlib gives may be a small part of a larger buffer, which it would keep in memory.
    gzip(
      body,
      (error, bytes) => resume(error === null ? Effect.succeed({ ...headers, gzip: new Uint8Array(bytes) }) : Effect.die(error))
    )
  )

/** For clients that do not accept gzip. */
export const plainBody = (document: WebDocument): Effect.Effect<Uint8Array> =>
  Effect.async((resume) =>
    gunzip(document.gzip, (error, bytes) => resume(error === null ? Effect.succeed(bytes) : Effect.die(error)))
  )

/** The headers of an uncached document. Its URL may contain a token, so other sites get no `Referer`. */
export const privateHeaders = (contentSecurityPolicy: string) => ({
  "cache-control": "no-store",
  "content-security-policy": contentSecurityPolicy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin"
})

/** A content security policy source that allows exactly this inline text (CSP level 3, section 2.3.1). */
export const sourceHash = (text: string): string => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`
