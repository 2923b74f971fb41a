"""polyak theory: the golden numbers, through the command line."""

import json
import math
import os
import re
import subprocess

GOLDEN = json.load(open(os.environ["POLYAK_SOURCE"] + "/tests/data/golden.json"))


def theory(*words):
    """The answer to these words, strictly JSON."""
    command = [os.environ["POLYAK"], "theory", "--json", *map(str, words)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0 and run.stderr == "", (command, run)

    def refuse(word):
        raise ValueError(word)

    return json.loads(run.stdout, parse_constant=refuse)


def near(got, expected, tolerance, what):
    expected = float(expected)
    assert abs(float(got) - expected) <= tolerance * abs(expected), (what, got, expected)


def compare(answer, expected, names, tolerance, what):
    for name, golden in names.items():
        near(answer[name], expected[golden], tolerance, f"{what}: {name}")


def spectrum(name):
    """exp_rho0.1_kappa10 in the words of the command line."""
    kind, rho, kappa = re.match(r"(exp|alg)_rho([\d.]+)_kappa(\d+)", name).groups()
    decay = {"exp": "exponential", "alg": "algebraic"}[kind]
    return ["--decay", decay, "--rho", rho, "--kappa", kappa, "--cols", 100]


def closed_forms():
    """Closed forms to 1e-12, from the formula of the spectrum and from its ends alone."""
    CLOSED = dict(lambda_min="lmin", lambda_max="lmax", kappa="kappa", frobenius2="F2",
                  kappa_bar="kappa_bar", alpha_star="alpha_star", alpha="alpha", beta="beta",
                  M="M_exact", M_bound="M_lemma", batch_heuristic="Bstar", k_star="kstar",
                  theta="theta_logk_over_k", delta="delta", rate_theorem="rate_thm",
                  batch_theorem="B_thm_Mexact", batch_vector="B_vec_same_rate")
    NAG = dict(alpha="alpha", beta="beta", M="M_exact", M_bound="M_bound", rate="rate",
               rate_theorem="rate_thm", batch_theorem="B_thm")
    MODELLED = ["model", "batch_stability", "predicted_rate", "tuned"]
    for name, golden in GOLDEN["spectra"].items():
        ends = ["--lambda-min", golden["lmin"], "--lambda-max", golden["lmax"],
                "--frobenius2", golden["F2"], "--cols", 100]
        for words in spectrum(name), ends:
            answer = theory(*words, "--batch", 1000)
            compare(answer, golden, CLOSED, 1e-12, name)
            compare(answer["nag"], golden["NAG"], NAG, 1e-12, name + ", nag")
            near(math.sqrt(answer["beta_star"]), golden["sqrt_beta_star"], 1e-12, name)
            near(answer["batch_certified_stability"],
                 golden["predictor"]["worst_case_A_rownorm"]["Bcert_stability"], 1e-10, name)
            assert "alpha" in answer["recipe"] and "certified_rate" in answer, name
            assert ("notes" in answer) == (words is ends), name
            for field in MODELLED:
                assert (field in answer) == (words is not ends), (name, field)


def short(name):
    return name.replace("_rho", "").replace("_kappa", "_k")


def against_study(answer, study, what):
    """What the study of a given batch found, for one batch."""
    tuned, recipe = answer["tuned"], answer["recipe"]
    near(tuned["predicted_rate"], study["rate_opt"], 1e-5, what)
    near(recipe["predicted_rate"], study["rate_recipe2"], 1e-9, what)
    near(answer["certified_rate"], study["worstA_rate_paper"], 1e-9, what)
    near(recipe["certified_rate"], study["worstA_rate_recipe2"], 1e-9, what)
    assert recipe["stability_number"] <= 0.913


def predictors():
    """Rates, thresholds, tuned parameters and the recipe, by the model of each sampling."""
    for name, golden in GOLDEN["spectra"].items():
        for sampling, model in ("row-norm", "rownorm"), ("uniform", "uniform"):
            expected = golden["predictor"][model]
            for c in "0.001", "0.1", "1":
                rate = expected["rate_at_c"][c]
                batch = float(c) * float(golden["Bstar"])
                answer = theory(*spectrum(name), "--sampling", sampling, "--rows", 10**6,
                                "--batch", repr(batch))
                near(answer["batch_stability"], expected["Bcrit_stability"], 1e-6, name)
                near(answer["predicted_rate"], rate, 1e-6, (name, sampling, c))
                assert answer["tuned"]["predicted_rate"] <= answer["recipe"]["predicted_rate"] < 1
                assert ("certified_rate" in answer) == (sampling == "row-norm"), answer
                if sampling == "row-norm" and c != "1":
                    against_study(answer, GOLDEN["given_B_study"][short(name) + "_c" + c], name)



def horizons():
    """The paper's own horizon is there only where its hypothesis holds."""
    name = "inconsistent_exp_rho0.5_kappa50"
    golden = GOLDEN[name]
    words = [*spectrum(name.removeprefix("inconsistent_")),
             "--residual-norm", golden["E_rms_r_norm"]]
    for c, expected in golden["horizon"].items():
        if c == "RK":
            continue
        horizon = theory(*words, "--batch", repr(expected["B"]))["horizon"]
        assert horizon["paper"] == "not applicable"
        names = dict(predicted="rms_exact_model", certified="R_ms_certificate_anyA")
        for field, value in names.items():
            wanted = math.inf if expected[value] is None else expected[value]
            assert float(horizon[field]) == wanted or abs(horizon[field] / wanted - 1) < 1e-6, c
    answer = theory(*words, "--batch", 1e7)
    assert answer["horizon"]["paper"] > 1e3 * answer["horizon"]["certified"]
    assert "--residual-sigma" in answer["notes"][0]
    answer = theory(*words, "--batch", 1e7, "--residual-sigma", golden["sigma_sample"])
    assert "notes" not in answer


def tiny_matrix():
    """A matrix: the exact recursion."""
    tiny = GOLDEN["tiny_problem"]
    with open("tiny.csv", "w") as file:
        for row in tiny["A"]:
            print(*row, sep=",", file=file)
    for gamma, key in (0.001, "gamma_lmin_over_1000"), (0.1, "gamma_lmin_over_10"):
        golden = tiny[key]
        for sampling, law in ("row-norm", "row"), ("uniform", "uniform"):
            for batch, rate in golden[law]["rate_at_B"].items():
                answer = theory("--matrix", "tiny.csv", "--gamma", gamma, "--sampling", sampling,
                                "--batch", batch, "--residual-norm", tiny["r_norm"])
                what = (key, sampling, batch)
                assert answer["model"] == "exact" and answer["rows"] == 6 and answer["rank"] == 3
                near(answer["frobenius2"], 82, 1e-12, what)
                near(answer["lambda_max"], tiny["lam"][-1], 1e-12, what)
                near(answer["eta"], tiny["eta_uniform"] if law == "uniform" else 1, 1e-12, what)
                near(answer["M"], golden["M_exact"], 1e-9, what)
                near(answer["batch_stability"], golden[law]["Bcrit_1"], 1e-9, what)
                near(answer["batch_certified_stability"], golden[law]["Bcert_1"], 1e-9, what)
                near(answer["predicted_rate"], rate, 1e-9, what)
                assert answer["tuned"]["predicted_rate"] <= answer["recipe"]["predicted_rate"]
                assert answer["predicted_rate"] <= answer["certified_rate"], what
                if answer["horizon"]["certified"] != "inf":
                    assert answer["horizon"]["predicted"] <= answer["horizon"]["certified"], what
                assert "vacuous" in answer["notes"][0]


closed_forms()
predictors()
horizons()
tiny_matrix()
