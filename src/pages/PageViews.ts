/** The forms of pages, rendered once for all visitors. */
import { Effect } from "effect"
import { pageOwner } from "../domain/page/PageOwner.ts"
import type { Snapshot } from "../domain/page/snapshot/Snapshot.ts"
import { BaseUrl } from "../links/BaseUrl.ts"
import { timedOverTurns } from "../loops/OverTurns.ts"
import { WorkOwner } from "../loops/WorkPriority.ts"
import { PublicIncidents } from "../operations/page/PublicIncidents.ts"
import { type FormRead, readOf } from "./FormReads.ts"
import { htmlForm } from "./PageForm.ts"
import { renderForm } from "./PageView.ts"
import { makeRenderings } from "./Renderings.ts"
import { compressed } from "./WebDocument.ts"

export class PageViews extends Effect.Service<PageViews>()("belltower/PageViews", {
  scoped: Effect.gen(function*() {
    const baseUrl = yield* BaseUrl
    const history = yield* PublicIncidents
    const { of, rendered } = yield* makeRenderings<FormRead>({
      read: (snapshot, form) => {
        const read = readOf(history, snapshot, form)
        return read === null ? null : Effect.provideService(read, WorkOwner, pageOwner(snapshot.page.workspaceId))
      },
      draw: (snapshot, form, read) =>
        Effect.flatMap(
          timedOverTurns(renderForm(snapshot, form, baseUrl, read ?? undefined)),
          ({ cpuMs, result }) => Effect.map(compressed(result), (document) => ({ document, cpuMs }))
        )
    })

    return {
      /** A form by its key, if it has been rendered already. */
      rendered,
      /** Any form. Fails with `not_found` for an incident that the page does not have, and with `unavailable`. */
      of,
      /** The HTML page in the visitor's language. With `stale`, it warns that it may be out of date. */
      html: (snapshot: Snapshot, acceptLanguage: string | undefined, stale: boolean) =>
        of(snapshot, htmlForm(snapshot, acceptLanguage, stale)),
      /** The public status as JSON, with or without the daily history. */
      json: (snapshot: Snapshot, history: boolean) => of(snapshot, { _tag: "Json", history })
    }
  })
}) {}
