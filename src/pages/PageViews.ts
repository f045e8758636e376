/** Renders the forms of each snapshot once and keeps them for as long as the snapshot itself is in memory. */
import { Effect } from "effect"
import type { Snapshot } from "../domain/page/Snapshot.ts"
import { BaseUrl } from "../links/BaseUrl.ts"
import { overTurns } from "../loops/OverTurns.ts"
import { makeSharedWork } from "../loops/SharedWork.ts"
import { formKey, htmlForm, type PageForm } from "./PageForm.ts"
import { renderForm } from "./PageView.ts"
import { compressed, type WebDocument } from "./WebDocument.ts"

/** Forms rendered at the same time, since each in progress holds a whole page. */
const atOnce = 2

/** Each snapshot has two forms in each language, and those of its history that visitors ask for. */
const mostForms = 100

export class PageViews extends Effect.Service<PageViews>()("belltower/PageViews", {
  scoped: Effect.gen(function*() {
    const baseUrl = yield* BaseUrl
    const permits = yield* Effect.makeSemaphore(atOnce)
    const shared = yield* makeSharedWork<Snapshot, WebDocument>(mostForms)

    /** The finished ones, for callers who cannot wait. */
    const finished = new WeakMap<Snapshot, Map<string, WebDocument>>()
    const keep = (snapshot: Snapshot, key: string, document: WebDocument) => {
      const known = finished.get(snapshot) ?? new Map<string, WebDocument>()
      if (known.size < mostForms) finished.set(snapshot, known.set(key, document))
    }

    const of = (snapshot: Snapshot, form: PageForm): Effect.Effect<WebDocument> =>
      shared(
        snapshot,
        formKey(form),
        permits.withPermits(1)(Effect.flatMap(overTurns(renderForm(snapshot, form, baseUrl)), compressed)).pipe(
          Effect.tap((document) => Effect.sync(() => keep(snapshot, formKey(form), document)))
        )
      )

    return {
      /** A form by its key, if it has been rendered already. */
      rendered: (snapshot: Snapshot, key: string): WebDocument | undefined => finished.get(snapshot)?.get(key),
      /** Any form. */
      of,
      /** The HTML page in the visitor's language. With `stale`, it warns that it may be out of date. */
      html: (snapshot: Snapshot, acceptLanguage: string | undefined, stale: boolean) =>
        of(snapshot, htmlForm(snapshot, acceptLanguage, stale)),
      /** The public status as JSON, with or without the daily history. */
      json: (snapshot: Snapshot, history: boolean) => of(snapshot, { _tag: "Json", history })
    }
  })
}) {}
