/** Reads and writes the cookie that keeps a reader's theme. */
import type { HttpServerRequest } from "@effect/platform"
import { HttpServerResponse } from "@effect/platform"
import { Duration } from "effect"
import { type Theme, themeCookie, themeKeptSec, themeNamed } from "./Theme.ts"

export const themeOf = ({ cookies }: HttpServerRequest.HttpServerRequest): Theme => themeNamed(cookies[themeCookie])

export const withTheme = (response: HttpServerResponse.HttpServerResponse, theme: Theme): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.unsafeSetCookie(response, themeCookie, theme, {
    path: "/",
    sameSite: "lax",
    maxAge: Duration.seconds(themeKeptSec)
  })
