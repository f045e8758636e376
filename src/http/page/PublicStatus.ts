/** What anyone may read of a public status page, from memory and with a validator. */
import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { answer, publicCaching } from "../../pages/Answer.ts"
import { PublicPages } from "../../pages/PublicPages.ts"

export const PublicStatusLive = HttpApiBuilder.group(Api, "Public status", (handlers) =>
  // Raw: the snapshot is encoded once, and a client that holds it is told so without a body.
  handlers.handleRaw("public_page_status", ({ path, urlParams }) =>
    Effect.gen(function*() {
      const pages = yield* PublicPages
      const { stale, view } = yield* pages.get(path.slug)
      return yield* answer(view.json(urlParams.history ?? true), { status: 200, ...publicCaching(stale) })
    })))
