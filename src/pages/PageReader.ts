/** Decides whether a visitor may see a page that is not public. */
import type { HttpServerRequest } from "@effect/platform"
import { Context, Effect } from "effect"
import type { SettledPage } from "../domain/page/PageDefaults.ts"

export type MayRead = (page: SettledPage) => Effect.Effect<boolean, never, HttpServerRequest.HttpServerRequest>

/** By default, without sessions, nobody may. */
export class PageReader extends Context.Reference<PageReader>()("belltower/PageReader", {
  defaultValue: (): MayRead => () => Effect.succeed(false)
}) {}
