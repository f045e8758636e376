/** Lets signed-in members see the private pages of their workspaces, and visitors who gave the password of one that page. */
import { HttpServerRequest } from "@effect/platform"
import { Effect, Layer } from "effect"
import type { SettledPage } from "../../domain/page/PageDefaults.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { Links } from "../../links/Links.ts"
import { Authenticate } from "../../operations/access/Authenticate.ts"
import { OpenPage } from "../../operations/page/OpenPage.ts"
import { PageReader } from "../../pages/PageReader.ts"
import { pageGrantCookie, sessionToken } from "../guard/SessionCookie.ts"

const makeReader = Effect.gen(function*() {
  const access = yield* Authenticate
  const baseUrl = yield* BaseUrl
  const links = yield* Links
  const opening = yield* OpenPage

  /** Only a session counts: a browser that opens a page sends no key. */
  const isMember = ({ workspaceId }: SettledPage, request: HttpServerRequest.HttpServerRequest) => {
    const token = sessionToken(request, baseUrl)
    if (token === undefined) return Effect.succeed(false)
    return access.caller({
      authorization: "",
      misplacedKey: false,
      sessionToken: token,
      workspace: workspaceId,
      acceptsSession: true
    }).pipe(
      Effect.map((caller) => caller.workspaceId === workspaceId),
      Effect.catchTags({ unauthorized: () => Effect.succeed(false), forbidden: () => Effect.succeed(false) })
    )
  }

  const knewPassword = (page: SettledPage, request: HttpServerRequest.HttpServerRequest) => {
    const grant = request.cookies[pageGrantCookie(links.page(page), page.id)]
    return grant === undefined ? Effect.succeed(false) : opening.isOpenTo(page, grant)
  }

  return (page: SettledPage) =>
    Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      (request) =>
        Effect.if(knewPassword(page, request), { onTrue: () => Effect.succeed(true), onFalse: () => isMember(page, request) })
    )
})

export const layer: Layer.Layer<never, never, Authenticate | BaseUrl | Links | OpenPage> = Layer.effect(PageReader, makeReader)
