/**
 * Serves the documentation: the guide for people at /docs/guide, the reference at /docs, a page per group, its search, each operation
 * as Markdown, and all of it as text at /llms.txt.
 */
import { HttpApiBuilder, type HttpRouter, HttpServerRequest } from "@effect/platform"
import { Effect, type Layer } from "effect"
import type { Steps } from "../domain/tools/Steps.ts"
import { Document, type OpenApiDocument } from "../http/openapi/OpenApiDocument.ts"
import { operations } from "../http/openapi/Operations.ts"
import { BaseUrl } from "../links/BaseUrl.ts"
import { overTurns } from "../loops/OverTurns.ts"
import { answer } from "../pages/Answer.ts"
import { compressed, type DocumentDraft, draftDocument } from "../pages/WebDocument.ts"
import { groupPath, groups, markdownPath } from "./DocsLinks.ts"
import { groupPage } from "./GroupPage.tsx"
import { guidePage } from "./GuidePage.tsx"
import { llmsText } from "./LlmsText.ts"
import { operationText } from "./LlmsText.ts"
import { peopleHome, peoplePages, peoplePath } from "./people/Pages.ts"
import { peopleGuidePage, peopleHomePage } from "./PeopleGuide.tsx"
import { schemasPage } from "./SchemasPage.tsx"
import { searchIndex } from "./SearchIndex.ts"
import { searchPage } from "./SearchPage.tsx"
import { webhooksPage } from "./WebhooksPage.tsx"

const cacheable = { status: 200, cacheControl: "public, max-age=300", headers: {} }

const markdown = (text: string) => draftDocument([text], { contentType: "text/markdown; charset=utf-8" })

const pagesOf = (
  baseUrl: string
): ReadonlyArray<readonly [HttpRouter.PathInput, (document: OpenApiDocument) => Steps<DocumentDraft>]> => [
  ["/docs", (document) => guidePage(baseUrl, document)],
  [peopleHome, () => peopleHomePage(baseUrl)],
  ...peoplePages.map((page) => [peoplePath(page), () => peopleGuidePage(baseUrl, page)] as const),
  ["/docs/schemas", (document) => schemasPage(baseUrl, document)],
  ["/docs/webhooks", (document) => webhooksPage(baseUrl, document)],
  ["/llms.txt", () => markdown(llmsText(baseUrl))],
  ...groups.map(([group, members]) =>
    [groupPath(group), (document: OpenApiDocument) => groupPage(baseUrl, document, group, members)] as const
  ),
  ...operations.map((operation) =>
    [
      markdownPath(operation.id),
      (document: OpenApiDocument) => markdown(operationText(baseUrl, document, operation) ?? "")
    ] as const
  )
]

/** Renders over many turns, so that nobody waits for a large page of the reference. */
const inTurns = (steps: Steps<DocumentDraft>) => Effect.flatMap(overTurns(steps), compressed)

/** Every page is rendered on its first request and cached, except the results of a search. */
export const layer: Layer.Layer<never, never, BaseUrl | Document> = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function*() {
    const baseUrl = yield* BaseUrl
    const document = yield* Document
    for (const [path, render] of pagesOf(baseUrl)) {
      const page = yield* Effect.cached(Effect.flatMap(document, (openApi) => inTurns(render(openApi))))
      yield* router.get(path, Effect.flatMap(page, (found) => answer(found, cacheable)))
    }
    const index = yield* Effect.cached(Effect.flatMap(document, (openApi) => overTurns(searchIndex(baseUrl, openApi))))
    yield* router.get(
      "/docs/search",
      Effect.gen(function*() {
        const { q } = yield* HttpServerRequest.ParsedSearchParams
        const query = (typeof q === "string" ? q : "").trim().slice(0, 100)
        return yield* answer(yield* inTurns(searchPage(baseUrl, yield* index, query)), cacheable)
      })
    )
  })
)
