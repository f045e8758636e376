/** Says whether the visitor of a page that is not open to everybody may see it. */
import type { HttpServerRequest } from "@effect/platform"
import { Context, Effect } from "effect"
import type { SettledPage } from "../domain/page/PageDefaults.ts"

export type MayRead = (page: SettledPage) => Effect.Effect<boolean, never, HttpServerRequest.HttpServerRequest>

/** Nobody may where no sessions exist. */
export class PageReader extends Context.Reference<PageReader>()("belltower/PageReader", {
  defaultValue: (): MayRead => () => Effect.succeed(false)
}) {}
