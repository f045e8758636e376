/** What readers find: the reference at /docs, the same for agents at /llms.txt. */
import { HttpApiBuilder } from "@effect/platform"
import { Effect, type Layer } from "effect"
import { Document } from "../http/openapi/OpenApiDocument.ts"
import { BaseUrl } from "../links/BaseUrl.ts"
import { answer } from "../pages/Answer.ts"
import { makeDocument } from "../pages/WebDocument.ts"
import { renderDocs } from "./DocsPage.tsx"
import { llmsText } from "./LlmsText.ts"

const lasting = { status: 200, cacheControl: "public, max-age=300", headers: {} }

const textDocument = (baseUrl: string) =>
  makeDocument(llmsText(baseUrl), {
    contentType: "text/markdown; charset=utf-8",
    contentSecurityPolicy: null,
    lastModified: null,
    volatile: []
  })

/** Rendered when first asked for. */
export const layer: Layer.Layer<never, never, BaseUrl | Document> = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function*() {
    const baseUrl = yield* BaseUrl
    const document = yield* Document
    const page = yield* Effect.cached(Effect.map(document, (made) => renderDocs(baseUrl, made)))
    const text = yield* Effect.cached(Effect.sync(() => textDocument(baseUrl)))
    yield* router.get("/docs", Effect.flatMap(page, (made) => answer(made, lasting)))
    yield* router.get("/llms.txt", Effect.flatMap(text, (made) => answer(made, lasting)))
  })
)
