/** Encodes pages over turns of the event loop, because a page may have 500 components. */
import { HttpServerResponse } from "@effect/platform"
import { Effect, Schema } from "effect"
import { Component } from "../../../schema/component/Component.ts"
import { ListedPage, Page } from "../../../schema/page/Page.ts"
import { mapInSteps, type Steps } from "../../domain/tools/Steps.ts"
import { overTurns } from "../../loops/OverTurns.ts"
import type { PageList } from "../../operations/page/ManagePages.ts"

const encodePage = Schema.encodeSync(Page)
const encodeListed = Schema.encodeSync(ListedPage)
const encodeComponent = Schema.encodeSync(Component)

/** Components encoded in one step: about 1 ms. */
const perStep = 20

function* pageText<P extends ListedPage>(page: P, encode: (page: P) => object): Steps<string> {
  const components = yield* mapInSteps(page.components, perStep, (component) => JSON.stringify(encodeComponent(component)))
  const fields = { ...encode({ ...page, components: [] }), components: undefined }
  return `${JSON.stringify(fields).slice(0, -1)},"components":[${components.join()}]}`
}

function* listText({ data, next }: PageList): Steps<string> {
  const pages: Array<string> = []
  for (const page of data) {
    pages.push(yield* pageText(page, encodeListed))
    yield
  }
  return `{"data":[${pages.join()}],"next":${JSON.stringify(next)}}`
}

const answered = (text: Steps<string>) =>
  Effect.map(overTurns(text), (json) => HttpServerResponse.text(json, { contentType: "application/json" }))

export const pageJson = (page: Page) => answered(pageText(page, encodePage))

export const pageListJson = (list: PageList) => answered(listText(list))
