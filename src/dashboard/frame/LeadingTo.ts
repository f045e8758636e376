/** Redirects after a form to the next view, which shows the notice once. */
import { HttpServerResponse } from "@effect/platform"
import { goTo } from "../GoTo.ts"
import { cookies, encodeNotice } from "./ReadVisit.ts"
import type { Notice } from "./Visit.ts"

/** A null notice shows none. */
export const leadingTo = (path: string, notice: Omit<Notice, "restore"> | null): HttpServerResponse.HttpServerResponse =>
  notice === null
    ? goTo(path)
    : HttpServerResponse.unsafeSetCookie(goTo(path), cookies.notice, encodeNotice(notice), {
      path: "/app",
      httpOnly: true,
      sameSite: "lax",
      maxAge: "20 seconds"
    })
