/** The answer to a form of a status page that the visitor cannot send: the page itself if they may see it, else that there is none. */
import { HttpServerRequest } from "@effect/platform"
import { Effect } from "effect"
import { NotFound } from "../../../schema/Errors.ts"
import { preferredLanguage } from "../../domain/page/Languages.ts"
import { Links } from "../../links/Links.ts"
import { PublicPages } from "../../operations/page/PublicPages.ts"
import { PageReader } from "../../pages/PageReader.ts"
import { notice } from "../../pages/PageRoutes.ts"
import { goTo } from "../Forms.ts"
import { param } from "./PageRouter.ts"

export const openOrGone = Effect.gen(function*() {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const { getFor } = yield* PublicPages
  const links = yield* Links
  return yield* getFor(yield* param("slug"), yield* PageReader).pipe(
    Effect.map(({ snapshot: { page } }) => goTo(links.page(page))),
    Effect.catchIf(
      (failure) => failure instanceof NotFound,
      () => notice("notFound", preferredLanguage(headers["accept-language"]))
    )
  )
})
