/** The answers to requests that no route serves: 404, for browsers with a page, or 405 if the path supports other methods. */
import type { HttpServerRequest } from "@effect/platform"
import { MethodNotAllowed, NotFound } from "../../../schema/Errors.ts"
import { preferredLanguage } from "../../domain/page/Languages.ts"
import { docsUrl, specUrl } from "../../links/BaseUrl.ts"
import { answer } from "../../pages/Answer.ts"
import { renderNotice } from "../../pages/html/Render.tsx"
import { makePathAdvice, type RoutePattern } from "./PathAdvice.ts"

const pattern = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*").replace(/:\w+/g, "[^/]+")}/?$`)

const pathOf = (url: string) => url.split(/[?#]/, 1)[0] ?? ""

/** Whether a path has parameters after a semicolon (RFC 3986, 3.3). The router would ignore them; no route uses them. */
export const hasParameters = (url: string): boolean => url.includes(";") && pathOf(url).includes(";")

export const unrouted = (routes: ReadonlyArray<RoutePattern>, baseUrl: string) => {
  const known = routes
    .filter(({ path }) => path !== "*")
    .map(({ method, path }) => ({ method, pattern: pattern(path) }))
  const hint = `See ${specUrl(baseUrl)}`
  const advise = makePathAdvice(routes)
  return (method: string, url: string): NotFound | MethodNotAllowed => {
    const path = pathOf(url)
    const methods = hasParameters(url) ? [] : known.filter((route) => route.pattern.test(path)).map((route) => route.method)
    if (methods.length === 0 || methods.includes(method)) {
      const advice = hasParameters(url) ? null : advise(method, path)
      return new NotFound({
        message: `No endpoint at ${method} ${path.slice(0, 200)}`,
        hint: `${advice === null ? "" : `${advice.replace(/[^.?]$/, "$&.")} `}${hint} for all endpoints, or ${
          docsUrl(baseUrl)
        } for the documentation`
      })
    }
    const allow = [...new Set([...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"])].sort()
    return new MethodNotAllowed({
      message: `${method} is not supported at ${path.slice(0, 200)}`,
      hint: `Use ${methods.join(" or ")}. ${hint}`,
      details: { allow }
    })
  }
}

/** Paths of programs only. */
const ofPrograms = /^\/(?:api|mcp|healthz|readyz|metrics)(?:[/?]|$)/

/** Whether a browser asks, to show the answer to a person. */
export const asksForPage = ({ headers, method, originalUrl }: HttpServerRequest.HttpServerRequest): boolean =>
  (method === "GET" || method === "HEAD") && (headers["accept"] ?? "").includes("text/html") && !ofPrograms.test(originalUrl)

/** The page at an address that nothing serves. */
export const missingPage = ({ headers }: HttpServerRequest.HttpServerRequest) =>
  answer(renderNotice("missing", preferredLanguage(headers["accept-language"])), {
    status: 404,
    cacheControl: "no-store",
    headers: { vary: "accept, accept-encoding, accept-language" }
  })
