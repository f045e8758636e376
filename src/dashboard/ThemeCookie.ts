/** Reads the cookie that keeps a reader's theme, and the form that sets it. */
import { type HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Duration, Effect, Schema } from "effect"
import { form } from "./Forms.ts"
import { goTo } from "./Forms.ts"
import { InDashboard } from "./frame/ShowAgain.ts"
import { type Theme, themeCookie, themeKeptSec, themeNamed, themes } from "./Theme.ts"

export const themeOf = ({ cookies }: HttpServerRequest.HttpServerRequest): Theme => themeNamed(cookies[themeCookie])

/** Anyone may choose, so that the pages without a session follow, too. */
export const chooseTheme = Effect.map(
  form(Schema.Struct({ theme: Schema.Literal(...themes), next: Schema.optionalWith(InDashboard, { default: () => "/app" }) })),
  ({ next, theme }) =>
    HttpServerResponse.unsafeSetCookie(goTo(next), themeCookie, theme, {
      path: "/",
      sameSite: "lax",
      maxAge: Duration.seconds(themeKeptSec)
    })
)
