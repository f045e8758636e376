/** Shows what somebody writes as Markdown before it is sent. On the server, because reading Markdown takes a large script. */
import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { markdownHtml } from "../../domain/markdown/MarkdownHtml.ts"
import { readMarkdown } from "../../domain/markdown/ReadMarkdown.ts"
import { readText } from "../../http/request/RequestBody.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { requireSameOrigin } from "../Forms.ts"

/** A postmortem of the largest size, in bytes. */
const largest = 256 * 1024

/** As data, so that no browser shows it as a page of the service. */
export const showMarkdown = Effect.gen(function*() {
  yield* requireSameOrigin
  const text = yield* readText(yield* HttpServerRequest.HttpServerRequest, largest)
  const html = markdownHtml(readMarkdown(text), {
    heading: 3,
    attributes: { pre: `tabindex="0"` },
    breaks: true,
    images: yield* BaseUrl
  })
  return HttpServerResponse.unsafeJson({ html })
})
