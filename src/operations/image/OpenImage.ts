/** The files of images, from memory: a picture on a status page is asked for when everybody looks at it. */
import { Clock, Effect, Option } from "effect"
import { NotFound } from "../../../schema/Errors.ts"
import { imageName, readImageName } from "../../domain/image/ImageName.ts"
import { makeByteCache } from "../../domain/tools/ByteCache.ts"
import { type ImageFile, Images } from "../../store/image/Images.ts"

const mebibyte = 1024 * 1024

/** Held in each process. */
const room = { entries: 500, bytes: 32 * mebibyte, bytesPerOwner: 8 * mebibyte }

/** How long a deleted image may still be shown, ms. */
const longest = 60_000

const notFound = new NotFound({ message: "No image at this address" })

interface Held {
  readonly file: ImageFile
  readonly readAt: number
}

export class OpenImage extends Effect.Service<OpenImage>()("belltower/OpenImage", {
  effect: Effect.gen(function*() {
    const images = yield* Images
    const cache = makeByteCache<Held>(room)

    /** The file of the image with this name; fails with `not_found`. */
    const open = Effect.fn("OpenImage.open")(function*(name: string) {
      const asked = readImageName(name)
      if (asked === null) return yield* notFound
      const now = yield* Clock.currentTimeMillis
      const held = cache.use(name)
      if (held !== undefined && now - held.readAt < longest) return held.file
      const found = Option.getOrNull(yield* images.file(asked.id))
      if (found === null || imageName({ ...found, id: asked.id }) !== name) {
        cache.drop(name)
        return yield* notFound
      }
      cache.keep(name, found.workspaceId, { file: found, readAt: now }, found.data.length)
      return found
    })

    return { open }
  })
}) {}
