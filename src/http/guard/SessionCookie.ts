/**
 * The cookies of browsers: of sessions, of browsers that had one, and of visitors who gave the password of a page. (Specification:
 * Authentication, 6.)
 */
import { type HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Duration } from "effect"
import { knownBrowserLifetime, sessionLifetime } from "../../domain/people/SessionLifetime.ts"

/** Over https, the `__Host-` prefix restricts a cookie to this host. Browsers reject the prefix over plain http. */
export const hostCookie = (baseUrl: string, name: string): string => (baseUrl.startsWith("https:") ? `__Host-${name}` : name)

/** `url` is the address of the private page, where the cookie is set. */
export const pageGrantCookie = (url: string, pageId: string): string => hostCookie(url, `belltower_${pageId}`)

export const cookieName = (baseUrl: string): string => hostCookie(baseUrl, "belltower_session")

const browserCookie = (baseUrl: string): string => hostCookie(baseUrl, "belltower_browser")

export const browserToken = (request: HttpServerRequest.HttpServerRequest, baseUrl: string): string | undefined =>
  request.cookies[browserCookie(baseUrl)]

export const sessionToken = (request: HttpServerRequest.HttpServerRequest, baseUrl: string): string | undefined =>
  request.cookies[cookieName(baseUrl)]

/** Scripts cannot read the cookie, and other sites' forms and frames do not send it; links from other sites do. */
export const cookieOptions = (baseUrl: string) =>
  ({ path: "/", httpOnly: true, sameSite: "lax", secure: baseUrl.startsWith("https:") }) as const

/** The mark that a sign-in leaves in a browser; one that awaits the second factor leaves none. */
interface SignedIn {
  readonly token: string
  readonly browser: string | null
}

export const withSession =
  ({ browser, token }: SignedIn, baseUrl: string) => (response: HttpServerResponse.HttpServerResponse) => {
    const own = cookieOptions(baseUrl)
    const signedIn = HttpServerResponse.unsafeSetCookie(response, cookieName(baseUrl), token, { ...own, maxAge: sessionLifetime })
    return browser === null
      ? signedIn
      : HttpServerResponse.unsafeSetCookie(signedIn, browserCookie(baseUrl), browser, { ...own, maxAge: knownBrowserLifetime })
  }

export const withoutSession = (baseUrl: string) => (response: HttpServerResponse.HttpServerResponse) =>
  HttpServerResponse.unsafeSetCookie(response, cookieName(baseUrl), "", { ...cookieOptions(baseUrl), maxAge: Duration.zero })
