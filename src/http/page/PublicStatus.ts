/** Serves the public status of a page from memory, with an ETag. */
import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { PublicPages } from "../../operations/page/PublicPages.ts"
import { answer, publicCaching } from "../../pages/Answer.ts"
import { PageViews } from "../../pages/PageViews.ts"

export const PublicStatusLive = HttpApiBuilder.group(Api, "Public status", (handlers) =>
  Effect.gen(function*() {
    const pages = yield* PublicPages
    const views = yield* PageViews
    // A raw handler, because the snapshot is encoded once and clients with the current version get a 304.
    return handlers.handleRaw("public_page_status", ({ path, urlParams }) =>
      Effect.flatMap(pages.get(path.slug), ({ snapshot, stale }) =>
        Effect.flatMap(views.json(snapshot, urlParams.history ?? true), (document) =>
          answer(document, { status: 200, ...publicCaching(stale) }))))
  }))
