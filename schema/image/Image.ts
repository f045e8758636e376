/** An image that a workspace uploaded, to show in incidents, postmortems and on its pages. */
import { Schema } from "effect"
import { text, textLike, Timestamp } from "../Fields.ts"
import { ImageId } from "../Ids.ts"

/** The largest file, bytes. */
export const largestImage = 1_048_576

/** Characters of the largest file in base64. */
const longestData = Math.ceil(largestImage / 3) * 4

export const ImageInput = Schema.Struct({
  data: text(longestData).annotations({
    description: "PNG or JPEG in base64, at most 1 MiB and 4 megapixels",
    examples: ["iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="]
  })
}).annotations({ identifier: "ImageInput" })
export type ImageInput = typeof ImageInput.Type

export const ImageType = Schema.Literal("png", "jpeg")
export type ImageType = typeof ImageType.Type

export const Image = Schema.Struct({
  id: ImageId,
  type: ImageType,
  width: Schema.Int.annotations({ description: "Pixels" }),
  height: Schema.Int.annotations({ description: "Pixels" }),
  bytes: Schema.Int.annotations({ description: "Size as stored, without metadata" }),
  url: textLike(
    "https://belltower.example/images/img_01k9x2m4q8e7s9v3bthn5wza6c-1200x800.png",
    "Anyone who knows it can see the image"
  ),
  by: textLike("ops@example.com", "Name of the API key, or email address of the person"),
  createdAt: Timestamp
}).annotations({ identifier: "Image" })
export type Image = typeof Image.Type
