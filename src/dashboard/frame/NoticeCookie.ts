/** The cookie that carries the notice of a form to the next view, which shows it once. */
import { HttpServerResponse } from "@effect/platform"
import { Option, Schema } from "effect"
import { goTo } from "../Forms.ts"
import { type Notice, Undo } from "./Visit.ts"

const cookie = "belltower_notice"
const options = { path: "/app", httpOnly: true, sameSite: "lax" } as const

const NoticeText = Schema.parseJson(Schema.Struct({ said: Schema.String, undo: Schema.NullOr(Undo) }))
const encode = Schema.encodeSync(NoticeText)

export const noticeIn = (cookies: Readonly<Record<string, string>>): Notice | null =>
  Option.getOrNull(Option.flatMap(Option.fromNullable(cookies[cookie]), Schema.decodeOption(NoticeText)))

/** Redirects after a form to the next view. A null notice shows none. */
export const leadingTo = (path: string, notice: Omit<Notice, "restore"> | null): HttpServerResponse.HttpServerResponse =>
  notice === null
    ? goTo(path)
    : HttpServerResponse.unsafeSetCookie(goTo(path), cookie, encode(notice), { ...options, maxAge: "20 seconds" })

export const withoutNotice = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.unsafeSetCookie(response, cookie, "", { ...options, maxAge: 0 })
