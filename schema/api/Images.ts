/** Images of a workspace. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { wire } from "../Errors.ts"
import { optional, wholeText } from "../Fields.ts"
import { ImageId } from "../Ids.ts"
import { Image, ImageInput, largestImage } from "../image/Image.ts"
import { ReadAccess, WriteAccess } from "./Access.ts"
import { deleted, paged } from "./parts/Answers.ts"
import { Hinted, LargestBody, ReachesOut } from "./parts/Hints.ts"

/** The largest image in base64, with room for the JSON around it. */
const largestBody = 2 * largestImage

const listQuery = Schema.Struct({
  before: optional(ImageId, "next of the page before"),
  limit: optional(wholeText(1, 200), "Default 50")
})

export class Images extends HttpApiGroup.make("Images")
  .annotate(OpenApi.Description, "Images for incidents, postmortems and status pages.")
  .add(
    HttpApiEndpoint.post("upload_image", "/images")
      .setPayload(ImageInput)
      .addSuccess(Image, { status: 201 })
      .addError(Schema.Union(wire.validationFailed, wire.unavailable))
      .middleware(WriteAccess)
      .annotate(LargestBody, largestBody)
      .annotate(ReachesOut, true)
      .annotate(Hinted, { heardOutside: false })
      .annotate(OpenApi.Summary, "Upload an image")
      .annotate(
        OpenApi.Description,
        "Show it with ![what it shows](url) in a text, or as the logo of a page. It is stored without metadata, such as where a " +
          "photo was taken."
      )
  )
  .add(
    HttpApiEndpoint.get("list_images", "/images")
      .setUrlParams(listQuery)
      .addSuccess(paged(Image, ImageId))
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List images")
      .annotate(OpenApi.Description, "Newest first.")
  )
  .add(
    HttpApiEndpoint.del("delete_image")`/images/${HttpApiSchema.param("id", ImageId)}`
      .addSuccess(deleted(ImageId))
      .addError(wire.notFound)
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Delete an image")
      .annotate(OpenApi.Description, "Texts and pages that show it lose it. Caches may keep it for an hour.")
  )
{}
