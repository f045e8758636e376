/** The view of images: each is shown with its Markdown, and deleted there. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { newOwner } from "../support/browser/Visitor.ts"
import { pixel } from "../support/files/Pixel.ts"
import { programOf } from "../support/program/Program.ts"

layer(programOf(), { excludeTestServices: true })("the view of images", (it) => {
  it.effect("shows each image of the workspace alone, with its Markdown, until it is deleted", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      expect((yield* visitor.get("/app/images")).text).toContain("No images yet")
      const { body: { id, url } } = yield* visitor.api("POST", "/images", { data: pixel })
      const { text } = yield* visitor.get("/app/images")
      expect(text).toContain(`<img src="${url}"`)
      expect(text).toContain(`data-text="![](${url})"`)
      expect(text).toContain("PNG, 1 × 1")
      const { visitor: other } = yield* newOwner()
      expect((yield* other.get("/app/images")).text).not.toContain(id)

      const fields = { _form: `delete-${id}`, _back: "/app/images", _then: "/app/images", _said: "Image deleted", id }
      const deleted = yield* visitor.submit("/app/do/delete_image", fields)
      expect([deleted.status, deleted.location]).toEqual([303, "/app/images"])
      expect((yield* visitor.get("/app/images")).text).toContain("No images yet")
    }))
})
