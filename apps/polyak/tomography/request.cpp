#include "cli/files.hpp"
#include "tomography/tomography.hpp"

namespace polyak::cli {
namespace {

using Options = tomography::ReconstructOptions;

const std::vector<OptionRecord<SinogramOptions>>& sinogram_options() {
  using S = SinogramOptions;
  static const std::vector<OptionRecord<S>> table = {
      {.name = "slices",
       .field = &S::slices,
       .value = "A:B",
       .sentence = "Read only the slices from A to B (without B, counted from 0). By default all."},
      {.name = "order",
       .field = &S::order,
       .value = "auto|projections|sinograms",
       .sentence =
           "Order of three-dimensional data: [angle, slice, element] (projections) or [slice, "
           "angle, element] (sinograms); auto decides by the number of angles."},
      {.name = "flat",
       .field = &S::flat,
       .value = "FILE",
       .sentence =
           "Images of the beam without the object, [image, slice, element]; by default those of "
           "the scan.",
       .file = FileUse::read},
      {.name = "dark",
       .field = &S::dark,
       .value = "FILE",
       .sentence = "Images without the beam; by default those of the scan, or 0.",
       .file = FileUse::read},
      {.name = "log",
       .field = &S::log,
       .value = "auto|yes|no",
       .sentence =
           "yes: take -log((count - dark)/(flat - dark)), or -log of the values without flat "
           "fields. no: the values are line integrals already. auto: yes if there are flat "
           "fields."},
      {.name = "bin",
       .field = &S::bin,
       .value = "N",
       .sentence =
           "Join N elements of the detector into one; --spacing, --center and --mask refer to the "
           "detector before that.",
       .lowest = 1,
       .highest = 0x1p40},
      {.name = "weights",
       .field = &S::weights,
       .value = "W",
       .sentence =
           "A file with one weight per ray; none; or transmission: exp(-attenuation * value), the "
           "inverse variance of counted photons up to a factor. By default none; transmission with "
           "the method "
           "auto or tv if flat fields are used.",
       .file = FileUse::read},
      {.name = "attenuation",
       .field = &S::attenuation,
       .value = "M",
       .sentence =
           "Factor of the sinogram's values for --weights transmission, as in project; 1 if the "
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
       .sentence = "The true image; the report then holds the error.",
       .file = FileUse::read},
  };
  return table;
}

std::vector<OptionRecord<Options>> method_options() {
  using O = Options;
  return {
      {.name = "method",
       .field = &O::method,
       .value =
           "auto|tv|minibatch-hbm|minibatch-nag|minibatch-sgd|rk|kaczmarz|sgd|hbm|nag|gd|cgls|lsqr|"
           "sirt|sart|fbp",
       .sentence =
           "The algorithm; auto is tv (total variation, its smoothing chosen by held-out rays), "
           "and minibatch-hbm if --batch, --step-size, --momentum, --b-star, "
           "--coverage, --sampling, --ridge, --plateau or --start is given."},
      {.name = "batch",
       .field = &O::batch,
       .value = "N",
       .sentence =
           "Rays drawn in each iteration; auto is about the largest batch that needs no momentum.",
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
       .sentence = "Relaxation factor of sirt and sart.",
       .lowest = 0,
       .highest = 2,
       .open_below = true,
       .open_above = true},
      {.name = "filter",
       .field = &O::filter,
       .value = "ram-lak|shepp-logan|hann",
       .sentence = "Filter of fbp."},
      {.name = "start",
       .field = &O::start,
       .value = "zero|fbp",
       .sentence = "Start of the iterations; tv accepts only zero."},
      {.name = "smoothing",
       .field = &O::smoothing,
       .value = "S",
       .sentence =
           "Smoothing of tv, about 1e-5 (rough) to 0.03 (smooth), independent of units; by default "
           "chosen by held-out rays.",
       .lowest = 0,
       .open_below = true},
      {.name = "stored",
       .field = &O::stored,
       .value = "",
       .sentence = "Keep the matrix in memory instead of computing rows when they are needed."},
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
       .sentence =
           "Standard deviation of a ray: stop when the residual has fallen to it (discrepancy "
           "principle); estimated from held-out rays if no other option says when to stop.",
       .lowest = 0,
       .open_below = true},
      {.name = "tau",
       .field = &O::tau,
       .value = "T",
       .sentence = "Factor of --noise for that stop.",
       .lowest = 0,
       .open_below = true},
      {.name = "plateau",
       .field = &O::plateau,
       .value = "P",
       .sentence =
           "Stop when the residual falls by less than this fraction in a pass. The status is then "
           "stagnated; a slow method may reach this far from its limit.",
       .lowest = 0,
       .highest = 1,
       .open_below = true,
       .open_above = true},
      {.name = "max-iterations",
       .field = &O::max_iterations,
       .value = "N",
       .sentence = "Maximum number of iterations.",
       .lowest = 0},
      {.name = "max-passes",
       .field = &O::max_passes,
       .value = "P",
       .sentence = "Maximum number of rays used, in multiples of all rays.",
       .lowest = 0},
      {.name = "time-limit",
       .field = &O::time_limit_s,
       .value = "SECONDS",
       .sentence = "Maximum number of seconds.",
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
       .sentence = "Seed of all random numbers; the same seed gives the same bits."},
      {.name = "threads",
       .field = &O::threads,
       .value = "N",
       .sentence = "Threads; 0 means all cores. The image does not depend on it.",
       .lowest = 0,
       .highest = 4096},
      {.name = "memory",
       .field = &O::memory_bytes,
       .value = "BYTES",
       .sentence = "Memory for slices that are solved at once; at least one slice is.",
       .lowest = 0,
       .open_below = true},
  };
}

const std::vector<OptionRecord<ImageOutputs>>& image_output_options() {
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
       .sentence = "Write the residual, as a sinogram.",
       .file = FileUse::written},
      {.name = "images",
       .field = &O::images,
       .value = "NAME",
       .sentence = "Write intermediate images: NAME with the iteration before its ending.",
       .file = FileUse::written},
      {.name = "report",
       .field = &O::report,
       .value = "FILE.json",
       .sentence = "Write a report of the run, as JSON.",
       .file = FileUse::written},
      {.name = "history",
       .field = &O::history,
       .value = "FILE.csv",
       .sentence = "Write every measurement, one per line.",
       .file = FileUse::written},
      {.name = "page",
       .field = &O::page,
       .value = "FILE.html",
       .sentence = "Write one page with the image, the parameters, the curves and the residual.",
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
  set.add("Output", image_output_options(), request.outputs);
  set.add("Intermediate images", image_options(), request.options);
  set.add("Checkpoints", checkpoint_options(), request.checkpoint);
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
    throw Error(ErrorCode::usage,
                {.what = "intermediate images cannot be combined with checkpoints",
                 .where = "--images",
                 .found = "--checkpoint or --resume",
                 .expected = "one or the other"});
}

}  // namespace polyak::cli
