/** How large an uploaded image may be, and what is said of one that is not accepted. */

const mostPixels = 4_000_000
const longestSide = 4_096

export interface ImageSize {
  readonly width: number
  readonly height: number
}

export const isOfFairSize = ({ height, width }: ImageSize): boolean =>
  width >= 1 && height >= 1 && width <= longestSide && height <= longestSide && width * height <= mostPixels

export const notAnImage = "Expected a PNG or JPEG image. Convert the file, then upload it again"
export const damagedImage =
  "The image is damaged, or uses a part of its format that is not accepted. Save it again, then upload it"
export const tooManyPixels =
  "The image may have at most 4,096 pixels a side and 4 megapixels. Make it smaller, then upload it again"
