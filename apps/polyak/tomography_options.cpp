#include "output_paths.hpp"
#include "tomography_request.hpp"

namespace polyak::cli {
namespace {

using Options = tomography::ReconstructOptions;

const std::vector<OptionRecord<SinogramOptions>>& sinogram_options() {
  using S = SinogramOptions;
  static const std::vector<OptionRecord<S>> table = {
      {.name = "slices",
       .field = &S::slices,
       .value = "A:B",
       .sentence = "Of several slices, those from A to B (without B, from 0); only those are "
                   "read. All when not given."},
      {.name = "order",
       .field = &S::order,
       .value = "auto|projections|sinograms",
       .sentence = "Of three dimensions: [angle, slice, element] or [slice, angle, element]; auto "
                   "goes by the number of angles."},
      {.name = "flat",
       .field = &S::flat,
       .value = "FILE",
       .sentence = "Images of the beam without the object, [image, slice, element]; those in the "
                   "scan when not given.",
       .file = FileUse::read},
      {.name = "dark",
       .field = &S::dark,
       .value = "FILE",
       .sentence = "Images without the beam; those in the scan, or 0, when not given.",
       .file = FileUse::read},
      {.name = "log",
       .field = &S::log,
       .value = "auto|yes|no",
       .sentence = "Take -log((count - dark)/(flat - dark)), or of the values themselves without "
                   "flat fields; auto does where there are flat fields. no: the values are line "
                   "integrals already."},
      {.name = "bin",
       .field = &S::bin,
       .value = "N",
       .sentence = "Join N elements of the detector into one; --spacing, --center and --mask are "
                   "meant before.",
       .lowest = 1,
       .highest = 0x1p40},
      {.name = "weights",
       .field = &S::weights,
       .value = "W",
       .sentence = "One weight per ray from a file; none; or transmission: "
                   "exp(-attenuation * value), as counted photons deserve. When not given: none, "
                   "and transmission with the method auto or tv where flat fields were divided by.",
       .file = FileUse::read},
      {.name = "attenuation",
       .field = &S::attenuation,
       .value = "M",
       .sentence = "What a value of the sinogram is multiplied by for that, as in project; 1 where "
                   "values are -log of transmissions.",
       .lowest = 0,
       .open_below = true},
      {.name = "mask",
       .field = &S::mask,
       .value = "FILE",
       .sentence = "One number per ray: rays with 0 are left out.",
       .file = FileUse::read},
      {.name = "reference",
       .field = &S::reference,
       .value = "FILE",
       .sentence = "The true image: the error to it is reported.",
       .file = FileUse::read},
  };
  return table;
}

std::vector<OptionRecord<Options>> method_options() {
  using O = Options;
  return {
      {.name = "method",
       .field = &O::method,
       .value = "auto|tv|minibatch-hbm|minibatch-nag|minibatch-sgd|rk|kaczmarz|sgd|hbm|nag|gd|cgls|lsqr|"
                "sirt|sart|fbp",
       .sentence = "The algorithm; auto is tv (total variation, as smooth as held-out rays say), "
                   "and minibatch-hbm where --batch, --step-size, --momentum, --b-star, "
                   "--coverage, --sampling, --ridge, --plateau or --start is given."},
      {.name = "batch",
       .field = &O::batch,
       .value = "N",
       .sentence = "Rays drawn in each iteration; auto is about the most that need no momentum.",
       .lowest = 1,
       .highest = 0x1p40},
      {.name = "step-size",
       .field = &O::step_size,
       .value = "ALPHA",
       .sentence = "Constant step; auto follows from the batch.",
       .lowest = 0,
       .open_below = true},
      {.name = "momentum",
       .field = &O::momentum,
       .value = "BETA",
       .sentence = "Constant momentum; auto follows from the batch.",
       .lowest = 0,
       .highest = 1,
       .open_above = true},
      {.name = "b-star",
       .field = &O::b_star,
       .value = "B",
       .sentence = "Choose the step so that the paper's B* is this.",
       .lowest = 0,
       .open_below = true},
      {.name = "coverage",
       .field = &O::coverage,
       .value = "K",
       .sentence = "Tune for the eigenvalues of A'A down to lambda_max/K.",
       .lowest = 1,
       .open_below = true},
      {.name = "sampling",
       .field = &O::sampling,
       .value = "row-norm|uniform|mixed",
       .sentence = "Probability of a ray: by its squared norm, equal, or half of each."},
      {.name = "relaxation",
       .field = &O::relaxation,
       .value = "R",
       .sentence = "Of sirt and sart.",
       .lowest = 0,
       .highest = 2,
       .open_below = true,
       .open_above = true},
      {.name = "filter",
       .field = &O::filter,
       .value = "ram-lak|shepp-logan|hann",
       .sentence = "Of fbp."},
      {.name = "start",
       .field = &O::start,
       .value = "zero|fbp",
       .sentence = "Where iterations begin; tv takes no start but zero."},
      {.name = "smoothing",
       .field = &O::smoothing,
       .value = "S",
       .sentence = "Of tv, about 1e-5 (rough) to 0.03 (smooth), whatever the units; chosen by "
                   "held-out rays when not given.",
       .lowest = 0,
       .open_below = true},
      {.name = "stored",
       .field = &O::stored,
       .value = "",
       .sentence = "Keep the matrix in memory instead of making rows as they are needed."},
      {.name = "ridge",
       .field = &O::ridge,
       .value = "R",
       .sentence = "Add R/2 |x|^2 to the objective.",
       .lowest = 0},
      {.name = "lower",
       .field = &O::lower,
       .value = "L",
       .sentence = "Smallest value of a pixel; 0 keeps the image from being negative."},
      {.name = "upper", .field = &O::upper, .value = "U", .sentence = "Largest value of a pixel."},
  };
}

std::vector<OptionRecord<Options>> stop_options() {
  using O = Options;
  return {
      {.name = "noise",
       .field = &O::noise,
       .value = "SIGMA",
       .sentence = "Standard deviation of a ray: stop when the residual is down to it "
                   "(discrepancy principle); estimated from held-out rays when no option says "
                   "when to stop.",
       .lowest = 0,
       .open_below = true},
      {.name = "tau",
       .field = &O::tau,
       .value = "T",
       .sentence = "How much above the noise.",
       .lowest = 0,
       .open_below = true},
      {.name = "plateau",
       .field = &O::plateau,
       .value = "P",
       .sentence = "Stop when the residual falls by less than this part of itself in a pass. The "
                   "status is then stagnated: a slow method does so far from its limit.",
       .lowest = 0,
       .highest = 1,
       .open_below = true,
       .open_above = true},
      {.name = "max-iterations",
       .field = &O::max_iterations,
       .value = "N",
       .sentence = "Most iterations.",
       .lowest = 0},
      {.name = "max-passes",
       .field = &O::max_passes,
       .value = "P",
       .sentence = "Most rays used, in multiples of all rays.",
       .lowest = 0},
      {.name = "time-limit",
       .field = &O::time_limit_s,
       .value = "SECONDS",
       .sentence = "Most seconds.",
       .lowest = 0},
      {.name = "measure-every",
       .field = &O::measure_every,
       .value = "P",
       .sentence = "Measure the residual every P passes.",
       .lowest = 0,
       .open_below = true},
      {.name = "seed",
       .field = &O::seed,
       .value = "N",
       .sentence = "Seed of everything random; the same seed gives the same bits."},
      {.name = "threads",
       .field = &O::threads,
       .value = "N",
       .sentence = "Threads; 0 takes all cores. The image does not depend on it.",
       .lowest = 0,
       .highest = 4096},
      {.name = "memory",
       .field = &O::memory_bytes,
       .value = "BYTES",
       .sentence = "Room for slices that are solved together; at least one is.",
       .lowest = 0,
       .open_below = true},
  };
}

const std::vector<OptionRecord<ImageOutputs>>& output_options() {
  using O = ImageOutputs;
  static const std::vector<OptionRecord<O>> table = {
      {.name = "output",
       .field = &O::output,
       .value = "FILE",
       .sentence = "Write the image here: .npy, .tif (with the pixel size), .png, .csv, .mtx; "
                   "slices go below each other, in a .tif on pages, in an .npy into a third "
                   "dimension.",
       .file = FileUse::written},
      {.name = "residual",
       .field = &O::residual,
       .value = "FILE",
       .sentence = "Write what the image does not explain, as a sinogram.",
       .file = FileUse::written},
      {.name = "images",
       .field = &O::images,
       .value = "NAME",
       .sentence = "Write images on the way, NAME with the iteration before its ending.",
       .file = FileUse::written},
      {.name = "report",
       .field = &O::report,
       .value = "FILE.json",
       .sentence = "Write how the run went, as JSON.",
       .file = FileUse::written},
      {.name = "history",
       .field = &O::history,
       .value = "FILE.csv",
       .sentence = "Write every measurement, one a line.",
       .file = FileUse::written},
      {.name = "page",
       .field = &O::page,
       .value = "FILE.html",
       .sentence = "Write one page with the image, how it was made, the curves and the residual.",
       .file = FileUse::written},
  };
  return table;
}

std::vector<OptionRecord<Options>> image_options() {
  return {{.name = "image-every",
           .field = &Options::image_every,
           .value = "K",
           .sentence = "With --images: every K iterations.",
           .lowest = 0}};
}

}  // namespace

OptionSet reconstruct_option_set(ReconstructRequest& request) {
  OptionSet set;
  set.add("Scan", scan_options(), request.scan);
  set.add("Sinogram", sinogram_options(), request.data);
  set.add("Method", method_options(), request.options);
  set.add("Stopping and running", stop_options(), request.options);
  set.add("Output", output_options(), request.outputs);
  set.add("Images on the way", image_options(), request.options);
  set.add("Stopping and going on later", checkpoint_options(), request.checkpoint);
  set.add("Messages", message_options(), request.messages);
  return set;
}

void check_request(const ReconstructRequest& request) {
  const ImageOutputs& out = request.outputs;
  const auto endings = {".npy", ".tif", ".tiff", ".png", ".csv", ".mtx"};
  const auto refuse = [](const std::string& where, const std::string& expected) {
    throw Error(ErrorCode::usage, {.what = "the option needs another one",
                                   .where = where,
                                   .found = {},
                                   .expected = expected});
  };
  if (out.output) check_output("--output", *out.output, endings);
  if (out.residual) check_output("--residual", *out.residual, endings);
  if (out.images) check_output("--images", *out.images, endings);
  if (out.report) check_output("--report", *out.report);
  if (out.history) check_output("--history", *out.history);
  if (out.page) check_output("--page", *out.page, {".html", ".htm"});
  if (request.data.dark && !request.data.flat && request.data.log == "auto")
    refuse("--dark", "--flat FILE, or --log yes for a scan that holds flat fields");
  if ((request.data.flat || request.data.dark) && request.data.log == "no")
    refuse(request.data.flat ? "--flat" : "--dark", "--log auto or yes");
  if (request.scan.center == "auto" && request.scan.beam == "fan")
    refuse("--center auto", "--beam parallel");
  if (out.images && request.options.image_every <= 0) refuse("--images", "--image-every K");
  if (!out.images && request.options.image_every > 0) refuse("--image-every", "--images NAME");
  check_checkpoint(request.checkpoint);
  if (out.images && (request.checkpoint.checkpoint || request.checkpoint.resume))
    throw Error(ErrorCode::usage, {.what = "images on the way cannot be gone on with",
                                   .where = "--images",
                                   .found = "--checkpoint or --resume",
                                   .expected = "one or the other"});
}

}  // namespace polyak::cli
