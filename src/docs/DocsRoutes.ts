/** Serves the reference at /docs and its text version for agents at /llms.txt. */
import { HttpApiBuilder } from "@effect/platform"
import { Effect, type Layer } from "effect"
import { Document } from "../http/openapi/OpenApiDocument.ts"
import { BaseUrl } from "../links/BaseUrl.ts"
import { answer } from "../pages/Answer.ts"
import { makeDocument } from "../pages/WebDocument.ts"
import { renderDocs } from "./DocsPage.tsx"
import { llmsText } from "./LlmsText.ts"

const cacheable = { status: 200, cacheControl: "public, max-age=300", headers: {} }

const textDocument = (baseUrl: string) =>
  makeDocument(llmsText(baseUrl), {
    contentType: "text/markdown; charset=utf-8",
    contentSecurityPolicy: null,
    lastModified: null,
    volatile: []
  })

/** Both documents are rendered on the first request and cached. */
export const layer: Layer.Layer<never, never, BaseUrl | Document> = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function*() {
    const baseUrl = yield* BaseUrl
    const document = yield* Document
    const page = yield* Effect.cached(Effect.map(document, (openApi) => renderDocs(baseUrl, openApi)))
    const text = yield* Effect.cached(Effect.sync(() => textDocument(baseUrl)))
    yield* router.get("/docs", Effect.flatMap(page, (html) => answer(html, cacheable)))
    yield* router.get("/llms.txt", Effect.flatMap(text, (markdown) => answer(markdown, cacheable)))
  })
)
