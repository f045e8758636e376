/** Serves images: their operations, and the files at GET /images/{name}, outside the registry. */
import { HttpApiBuilder, HttpRouter, HttpServerResponse } from "@effect/platform"
import { Effect, type Layer } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { PublicCalls } from "../../operations/access/PublicCalls.ts"
import { ManageImages } from "../../operations/image/ManageImages.ts"
import { OpenImage } from "../../operations/image/OpenImage.ts"
import { publicAdmission } from "../guard/PublicAdmission.ts"
import { asCaller, deleted, inWorkspace } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

const defaultLimit = 50

export const ImagesLive = operationGroup(Api, "Images", (handlers) =>
  Effect.map(ManageImages, (images) =>
    handlers
      .handle("upload_image", ({ payload }) => asCaller((caller) => images.upload(caller, payload)))
      .handle(
        "list_images",
        ({ urlParams: { before = null, limit = defaultLimit } }) => inWorkspace((id) => images.list(id, { before, limit }))
      )
      .handle("delete_image", ({ path }) => deleted(path.id, inWorkspace((id) => images.remove(id, path.id))))))

/** An image has the type that was stored, a browser may not take it for another, and nothing in it can run. */
const headers = {
  "cache-control": "public, max-age=3600",
  "content-security-policy": "default-src 'none'; sandbox",
  "content-disposition": "inline",
  "cross-origin-resource-policy": "cross-origin",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex"
}

const file = ({ open }: OpenImage) =>
  Effect.gen(function*() {
    const { name = "" } = yield* HttpRouter.params
    const { data, type } = yield* open(name)
    return HttpServerResponse.uint8Array(data, { contentType: `image/${type}`, headers })
  })

export const imageFiles: Layer.Layer<never, never, OpenImage | PublicCalls> = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function*() {
    const images = yield* OpenImage
    const admitted = publicAdmission(yield* PublicCalls, { rate: null })
    yield* router.get("/images/:name", admitted(file(images)))
  })
)
