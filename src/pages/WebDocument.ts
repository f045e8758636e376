/** A rendered document, stored compressed, with its ETag (RFC 9110, section 8.8.3). */
import { createHash } from "node:crypto"
import { gunzipSync, gzipSync } from "node:zlib"

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

/** `volatile`: texts that change at every read, such as the time of the read. The ETag ignores them. */
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
  const stable = volatile.reduce((text, part) => text.replaceAll(part, ""), body)
  const digest = createHash("sha256").update(stable, "utf8").digest("base64url").slice(0, 27)
  return { ...headers, etag: `W/"${digest}"`, gzip: gzipSync(body) }
}

/** For clients that do not accept gzip. */
export const plainBody = (document: WebDocument): Uint8Array => gunzipSync(document.gzip)

/** A content security policy source that allows exactly this inline text (CSP level 3, section 2.3.1). */
export const sourceHash = (text: string): string => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`
