/** Where a visitor gives the password of a private page. */
import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Schema } from "effect"
import { NotFound } from "../../../schema/Errors.ts"
import { languageOf, wordsIn } from "../../domain/page/Languages.ts"
import { grantFor } from "../../domain/page/PagePassword.ts"
import { localPath } from "../../domain/people/LocalPath.ts"
import { pageGrantCookie } from "../../http/guard/SessionCookie.ts"
import { clientAddress } from "../../http/request/ClientAddress.ts"
import { readText } from "../../http/request/RequestBody.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { Links } from "../../links/Links.ts"
import { OpenPage } from "../../operations/page/OpenPage.ts"
import { showPasswordPage } from "../../pages/html/PasswordPage.tsx"
import { goTo } from "../Forms.ts"
import { openOrGone } from "./OpenOrGone.ts"
import { pages, param } from "./PageRouter.ts"

const decodePassword = Schema.decodeUnknownOption(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(200)))

/** From any origin: anyone who knows the password may make a browser give it, and the page may be shown under another host. */
const enter = Effect.gen(function*() {
  const { closed, enter } = yield* OpenPage
  const request = yield* HttpServerRequest.HttpServerRequest
  const page = yield* closed(yield* param("slug"))
  const url = (yield* Links).page(page)
  const given = new URLSearchParams(yield* readText(request))
  const below = localPath(given.get("below"))
  const language = languageOf(page.settings.language, request.headers["accept-language"])
  const words = wordsIn(language)
  const baseUrl = yield* BaseUrl
  const again = (status: number, wrong: string) =>
    showPasswordPage({ page, url, below, service: baseUrl, language, status, wrong })
  const password = decodePassword(given.get("password"))
  if (password._tag === "None") return again(401, words.passwordWrong)
  return yield* enter(page.slug, password.value, clientAddress(request)).pipe(
    Effect.map(({ grant }) =>
      HttpServerResponse.unsafeSetCookie(goTo(`${url}${below ?? ""}`), pageGrantCookie(url, page.id), grant, {
        path: "/",
        httpOnly: true,
        sameSite: "lax",
        secure: url.startsWith("https:") || baseUrl.startsWith("https:"),
        maxAge: grantFor
      })
    ),
    Effect.catchTags({
      forbidden: () => Effect.succeed(again(401, words.passwordWrong)),
      rate_limited: () => Effect.succeed(again(429, words.tooManyAttempts))
    })
  )
})

/** The page may have been opened or deleted while the form was shown. */
const orOpen = Effect.catchIf(enter, (error) => error instanceof NotFound, () => openOrGone)

export const layer = pages((router) => router.post("/s/:slug/password", orOpen, "/s/:slug"))
