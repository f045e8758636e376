/** A rendered answer, kept compressed, with its validator (RFC 9110, section 8.8.3). */
import { createHash } from "node:crypto"
import { gunzipSync, gzipSync } from "node:zlib"

export interface WebDocument {
  readonly contentType: string
  /** Weak: the moment of reading is not part of it. */
  readonly etag: string
  readonly gzip: Uint8Array
  /** Only of HTML. */
  readonly contentSecurityPolicy: string | null
  /** HTTP date of the data in it; null where it has none. */
  readonly lastModified: string | null
}

/** `volatile` are the texts that change with every reading although nothing else does. */
export const makeDocument = (
  body: string,
  options: {
    readonly contentType: string
    readonly contentSecurityPolicy: string | null
    readonly lastModified: string | null
    readonly volatile: ReadonlyArray<string>
  }
): WebDocument => {
  const { volatile, ...headers } = options
  const lasting = volatile.reduce((text, part) => text.replaceAll(part, ""), body)
  const digest = createHash("sha256").update(lasting, "utf8").digest("base64url").slice(0, 27)
  return { ...headers, etag: `W/"${digest}"`, gzip: gzipSync(body) }
}

/** For the few clients that do not take gzip. */
export const plainBody = (document: WebDocument): Uint8Array => gunzipSync(document.gzip)

/** A source expression of a content security policy that allows exactly this inline text (CSP level 3, section 2.3.1). */
export const sourceHash = (text: string): string => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`
