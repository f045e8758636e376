/** Plan limits and caps over a real database: concurrent creates never exceed them, and every path that creates counts. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import { ValidationFailed } from "../../../schema/Errors.ts"
import type { PageId, WorkspaceId } from "../../../schema/Ids.ts"
import type { Caps } from "../../../src/domain/workspace/Caps.ts"
import { defaultCaps } from "../../../src/domain/workspace/Caps.ts"
import { ManageComponents } from "../../../src/operations/component/ManageComponents.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { CapSettings, Quotas } from "../../../src/store/workspace/Quotas.ts"
import { ground, newWorkspace } from "../../pages/Fixtures.ts"

const caps: Caps = {
  ...defaultCaps,
  pages: { most: 3, unclaimed: 2 },
  components: { most: 4, unclaimed: null },
  groups: { most: 2, unclaimed: null },
  channels: { most: 3, unclaimed: null }
}

const messagesOf = (results: ReadonlyArray<Either.Either<unknown, unknown>>) => [
  ...new Set(
    results.flatMap((result) => Either.isLeft(result) ? [result.left] : []).map((error) =>
      error instanceof ValidationFailed ? error.message : error
    )
  )
]

layer(ground.pipe(Layer.provide(Layer.succeed(CapSettings, caps))))("Caps", (it) => {
  const claim = (id: WorkspaceId) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql`update workspaces set claimed_at = now() where id = ${id}`)

  const createPage = (id: WorkspaceId, name: string) => Effect.flatMap(ManagePages, (pages) => pages.create(id, { name }))

  const createComponent = (id: WorkspaceId, pageId: PageId, name: string, group: string) =>
    Effect.flatMap(ManageComponents, (components) => components.create(id, pageId, { name, group }))

  it.effect("concurrent creates cannot exceed the cap of a workspace", () =>
    Effect.gen(function*() {
      const id = yield* newWorkspace()
      yield* claim(id)
      const results = yield* Effect.all(
        Array.from({ length: 8 }, (_, index) => Effect.either(createPage(id, `Page ${index}`))),
        { concurrency: "unbounded" }
      )
      expect(results.filter(Either.isRight).length).toBe(3)
      expect(messagesOf(results)).toEqual(["A workspace can have at most 3 status pages"])
    }))

  it.effect("an unclaimed workspace has less, and more once it is claimed", () =>
    Effect.gen(function*() {
      const id = yield* newWorkspace()
      yield* createPage(id, "One")
      yield* createPage(id, "Two")
      const refused = yield* Effect.flip(createPage(id, "Three"))
      expect(refused).toMatchObject({ message: "An unclaimed workspace can have at most 2 status pages" })
      yield* claim(id)
      expect((yield* createPage(id, "Three")).name).toBe("Three")
    }))

  it.effect("concurrent creates cannot exceed the caps of a page; each page counts for itself", () =>
    Effect.gen(function*() {
      const id = yield* newWorkspace()
      const first = yield* createPage(id, "First")
      const second = yield* createPage(id, "Second")
      const results = yield* Effect.all(
        Array.from({ length: 8 }, (_, index) => Effect.either(createComponent(id, first.id, `C${index}`, "One group"))),
        { concurrency: "unbounded" }
      )
      expect(results.filter(Either.isRight).length).toBe(4)
      expect(messagesOf(results)).toEqual(["A page can have at most 4 components"])
      const groups = yield* Effect.forEach(
        ["a", "b", "c"],
        (group) => Effect.either(createComponent(id, second.id, group, group))
      )
      expect(messagesOf(groups)).toEqual(["A page can have at most 2 component groups"])
      // The refused component left nothing behind.
      expect((yield* createComponent(id, second.id, "d", "a")).name).toBe("d")
    }))

  it.effect("what takes several places at a time is refused as a whole", () =>
    Effect.gen(function*() {
      const id = yield* newWorkspace()
      const quotas = yield* Quotas
      const sql = yield* SqlClient.SqlClient
      const refused = yield* Effect.flip(sql.withTransaction(quotas.takeCapped(id, { channels: 4 })))
      expect(refused).toMatchObject({ message: "A workspace can have at most 3 alert channels" })
      yield* sql.withTransaction(quotas.takeCapped(id, { channels: 3 }))
    }))
})
