/** The redirect that answers a form. */
import { HttpServerResponse } from "@effect/platform"

/** Redirects after a POST with 303, so that reloading or going back does not submit the form again. */
export const goTo = (path: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({
    status: 303,
    headers: { location: path, "cache-control": "no-store", "referrer-policy": "same-origin" }
  })
