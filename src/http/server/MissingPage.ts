/** The page at an address that nothing serves. Programs get the error envelope. */
import { HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { preferredLanguage } from "../../domain/page/Languages.ts"
import { answer } from "../../pages/Answer.ts"
import { renderNotice } from "../../pages/html/Render.tsx"

/** Paths of programs only. */
const ofPrograms = /^\/(?:api|mcp|healthz|readyz|metrics)(?:[/?]|$)/

/** Whether a browser asks, to show the answer to a person. */
export const asksForPage = ({ headers, method, originalUrl }: HttpServerRequest.HttpServerRequest): boolean =>
  (method === "GET" || method === "HEAD") && (headers["accept"] ?? "").includes("text/html") && !ofPrograms.test(originalUrl)

export const missingPage: Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest> =
  Effect
    .flatMap(
      HttpServerRequest.HttpServerRequest,
      ({ headers }) =>
        answer(renderNotice("missing", preferredLanguage(headers["accept-language"])), {
          status: 404,
          cacheControl: "no-store",
          headers: { vary: "accept, accept-encoding, accept-language" }
        })
    )
