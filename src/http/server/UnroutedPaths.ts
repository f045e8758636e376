/** What to say of a path that no route serves: nothing there, or not with this method. */
import { MethodNotAllowed, NotFound } from "../../../schema/Errors.ts"
import { docsUrl, specUrl } from "../../links/BaseUrl.ts"

/** A route as far as finding it goes. */
export interface RoutePattern {
  readonly method: string
  readonly path: string
}

const pattern = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*").replace(/:\w+/g, "[^/]+")}/?$`)

const pathOf = (url: string) => url.split(/[?#]/, 1)[0] ?? ""

/** Whether a path has parameters behind a semicolon (RFC 3986, 3.3), which the router would pass over. No path of ours has. */
export const hasParameters = (url: string): boolean => url.includes(";") && pathOf(url).includes(";")

/** The failure of a request that no route took. */
export const unrouted = (routes: ReadonlyArray<RoutePattern>, baseUrl: string) => {
  const known = routes
    .filter(({ path }) => path !== "*")
    .map(({ method, path }) => ({ method, pattern: pattern(path) }))
  const hint = `See ${specUrl(baseUrl)}`
  return (method: string, url: string): NotFound | MethodNotAllowed => {
    const path = pathOf(url)
    const methods = hasParameters(url) ? [] : known.filter((route) => route.pattern.test(path)).map((route) => route.method)
    if (methods.length === 0 || methods.includes(method)) {
      return new NotFound({
        message: `Nothing is at ${method} ${path.slice(0, 200)}`,
        hint: `${hint} for all endpoints, or read ${docsUrl(baseUrl)}`
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
