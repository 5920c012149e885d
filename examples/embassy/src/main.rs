//! Two tasks: one fills windows from a motion sensor, the other classifies them; no window is copied.

#![no_std]
#![no_main]

mod imu;

use core::fmt::Display;

use embassy_executor::Spawner;
use embassy_futures::yield_now;
use embassy_sync::{
    blocking_mutex::raw::ThreadModeRawMutex,
    zerocopy_channel::{Channel, Receiver, Sender},
};
use nearmark::{Model, Scratch};
use semihosting::{println, process};
use static_cell::StaticCell;

use imu::{CHANNELS, Imu};

nearmark::include_model!(mod gesture = "../gesture-f32.nmk");

type Window = [i16; gesture::INPUTS];

/// While one window is classified, the next is filled.
static WINDOWS: StaticCell<[Window; 2]> = StaticCell::new();
static CHANNEL: StaticCell<Channel<'static, ThreadModeRawMutex, Window>> = StaticCell::new();

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    let model = gesture::model().unwrap_or_else(|why| stop("the model in flash", why));
    let windows = WINDOWS.init([[0; gesture::INPUTS]; 2]);
    let (sender, receiver) = CHANNEL.init(Channel::new(windows)).split();
    spawner.spawn(sample(sender).unwrap_or_else(|why| stop("sample", why)));
    spawner.spawn(classify(model, receiver).unwrap_or_else(|why| stop("classify", why)));
}

/// Reads the sensor, frame by frame.
#[embassy_executor::task]
async fn sample(mut windows: Sender<'static, ThreadModeRawMutex, Window>) {
    let mut imu = Imu::new();
    loop {
        let window = windows.send().await;
        for frame in window.chunks_exact_mut(CHANNELS) {
            // A driver would await the sensor's interrupt here.
            yield_now().await;
            if !imu.read(frame) {
                return;
            }
        }
        windows.send_done();
    }
}

/// Classifies the windows.
#[embassy_executor::task]
async fn classify(model: Model<'static>, mut windows: Receiver<'static, ThreadModeRawMutex, Window>) {
    let mut scratch = Scratch::<{ gesture::SCRATCH }>::new();
    for at in 0..imu::WINDOWS {
        let window = windows.receive().await;
        let answer = model.classify(window, &mut scratch).unwrap_or_else(|why| stop("classify", why));
        windows.receive_done();
        let name = model.class_name(answer.class()).unwrap_or("?");
        println!("window {at}: {name}, margin {:.3}", answer.margin());
    }
    // The recording is over; a device would continue.
    process::exit(0)
}

fn stop(what: &str, why: impl Display) -> ! {
    println!("{what}: {why}");
    process::exit(1)
}
